//! Parts of programs, and declarations.

use super::{Construct as C, Walk};
use ferrospin_promela::ast::{Initializer, Proctype, Program, Shape, Type, Unit, VarDecl, Visibility};

/// Where a variable is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Global,
    Body,
    Parameter,
    Field,
}

impl Walk {
    /// Counts what only the text shows.
    pub(crate) fn text(&mut self, text: &str) {
        for line in text.lines() {
            let define = line.strip_prefix("#define ");
            let name = define.and_then(|d| d.split(' ').next());
            self.saw_if(define.is_some(), C::Macro);
            self.saw_if(name.is_some_and(|n| n.contains('(')), C::MacroWithArguments);
            self.saw_if(line.starts_with("#undef"), C::Undefine);
            self.saw_if(line.starts_with("#if"), C::ConditionalText);
            self.saw_if(line.starts_with("#include"), C::Include);
        }
    }

    /// Counts what a program holds.
    pub(crate) fn program(&mut self, program: &Program) {
        for unit in &program.units {
            match unit {
                Unit::Decl(d) => {
                    self.saw(C::GlobalDeclaration);
                    self.declaration(d, Home::Global);
                }
                Unit::Mtype(m) => self.saw(if m.name.is_some() { C::NamedMtypeList } else { C::MtypeList }),
                Unit::Typedef(t) => {
                    self.saw(C::Typedef);
                    t.fields.iter().for_each(|f| self.declaration(f, Home::Field));
                }
                Unit::Proctype(p) => self.proctype(p),
                Unit::Init(i) => {
                    self.saw(C::Init);
                    self.saw_if(i.priority.is_some(), C::InitPriority);
                    self.body(&i.body);
                }
                Unit::Never(n) => {
                    self.saw(if n.name.is_some() { C::NamedNever } else { C::Never });
                    self.body(&n.body);
                }
                Unit::Ltl(l) => {
                    self.saw(if l.name.is_some() { C::NamedLtl } else { C::UnnamedLtl });
                    self.expression(&l.formula);
                }
                Unit::Trace(t) => {
                    self.saw(if t.negated { C::NoTrace } else { C::Trace });
                    self.body(&t.body);
                }
                Unit::Inline(_) => self.saw(C::Inline),
                Unit::CCode(_) => self.saw(C::CCodeUnit),
                Unit::CDecl(_) => self.saw(C::CDecl),
                Unit::CState(_) => self.saw(C::CState),
                Unit::CTrack(_) => self.saw(C::CTrack),
            }
        }
    }

    fn proctype(&mut self, p: &Proctype) {
        self.saw(C::Proctype);
        self.saw_if(p.deterministic, C::DProctype);
        if let Some(active) = &p.active {
            self.saw(C::Active);
            self.saw_if(active.count.is_some(), C::ActiveCount);
        }
        self.saw_if(p.priority.is_some(), C::ProctypePriority);
        self.saw_if(!p.params.is_empty(), C::Parameters);
        p.params.iter().for_each(|d| self.declaration(d, Home::Parameter));
        if let Some(condition) = &p.provided {
            self.saw(C::Provided);
            self.expression(condition);
        }
        self.body(&p.body);
    }

    pub(super) fn declaration(&mut self, d: &VarDecl, home: Home) {
        match d.visibility {
            Some(Visibility::Hidden) => self.saw(C::Hidden),
            Some(Visibility::Show) => self.saw(C::Show),
            Some(Visibility::Local) => self.saw(C::Local),
            None => {}
        }
        self.saw_if(d.vars.len() > 1, C::SeveralVariables);
        self.typed(&d.ty, home);
        for v in &d.vars {
            let array = match &v.shape {
                Shape::Scalar => false,
                Shape::Width(_) => false,
                Shape::Array(size) => {
                    self.saw(C::ArrayDeclaration);
                    self.expression(size);
                    true
                }
            };
            self.saw_if(array && home == Home::Field, C::ArrayField);
            match &d.ty {
                Type::Named(_) => self.saw_if(array, C::ArrayOfRecords),
                Type::Short => self.saw_if(array, C::ArrayOfShort),
                Type::Int => self.saw_if(array, C::ArrayOfInt),
                Type::Chan => self.saw_if(array, C::ChannelArray),
                _ => {}
            }
            match &v.init {
                Some(Initializer::Expr(e)) => {
                    self.saw(C::InitialExpression);
                    self.expression(e);
                }
                Some(Initializer::List(list, _)) => {
                    self.saw(C::InitialList);
                    list.iter().for_each(|e| self.expression(e));
                }
                Some(Initializer::Chan(c)) => {
                    self.saw(C::InitialChannel);
                    self.saw_if(
                        matches!(c.capacity.kind, ferrospin_promela::ast::ExprKind::Const(0, _)),
                        C::Rendezvous,
                    );
                    let carries = c.fields.iter().any(|f| f.0 == Type::Chan);
                    self.saw_if(carries, C::ChannelInMessage);
                    self.saw_if(carries && c.fields.len() > 1, C::ChannelBesideData);
                    self.saw_if(c.fields.iter().any(|f| matches!(f.0, Type::Named(_))), C::RecordInMessage);
                    c.fields.iter().for_each(|f| self.typed(&f.0, Home::Body));
                }
                None => {}
            }
        }
    }

    fn typed(&mut self, ty: &Type, home: Home) {
        let field = home == Home::Field;
        let parameter = home == Home::Parameter;
        match ty {
            Type::Bit => {
                self.saw(C::BitType);
                self.saw_if(field, C::BitField);
            }
            Type::Bool => self.saw(C::BoolType),
            Type::Byte => self.saw(C::ByteType),
            Type::Pid => self.saw(C::PidType),
            Type::Short => {
                self.saw(C::ShortType);
                self.saw_if(field, C::ShortField);
            }
            Type::Int => {
                self.saw(C::IntType);
                self.saw_if(field, C::IntField);
            }
            Type::Unsigned => {
                self.saw(C::UnsignedType);
                self.saw_if(field, C::UnsignedField);
            }
            Type::Mtype(name) => {
                self.saw(if name.is_some() { C::NamedMtypeType } else { C::MtypeType });
                self.saw_if(parameter, C::MtypeParameter);
            }
            Type::Chan => {
                self.saw(C::ChanType);
                self.saw_if(parameter, C::ChannelParameter);
            }
            Type::Named(_) => {
                self.saw(C::RecordType);
                self.saw_if(field, C::RecordField);
                self.saw_if(parameter, C::RecordParameter);
            }
        }
    }
}
