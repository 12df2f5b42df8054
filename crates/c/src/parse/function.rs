//! Function definitions.

use super::declarator::{Declarator, Param};
use super::scope::Binding;
use super::specifier::Specifiers;
use super::{Lost, Parser, Res};
use crate::tree::{Function, LabelId, Linkage, Object, Storage};
use crate::types::{Qual, Signature, Type, TypeId};
use crate::word::Word;
use ferrospin_cpp::Symbol;
use ferrospin_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// What is known of the function that is being read.
pub(super) struct Frame {
    pub(super) name: Symbol,
    pub(super) result: Qual,
    /// Names of labels by number, where they are first used, and whether they are set.
    pub(super) labels: Vec<(Symbol, Span, bool)>,
    /// Labels by name, as the current block sees them.
    pub(super) label_names: FxHashMap<Symbol, LabelId>,
    /// Types of the values that the open `switch` statements look at.
    pub(super) switches: Vec<TypeId>,
    /// How many loops are open.
    pub(super) loops: u32,
}

impl Parser<'_> {
    /// A definition whose declarator was read.
    pub(super) fn function_definition(&mut self, s: &Specifiers, d: Declarator, start: Span) -> Res<()> {
        let name = d.name.expect("definitions have names");
        let mut params = d.params.expect("the caller looked").list;
        let signature = self.unit.types.signature(d.ty.ty).expect("the caller looked").clone();
        let depth = self.scopes.depth();
        if self.word() != Word::LBrace {
            self.old_style_parameters(&mut params)?;
        }
        let ty = if signature.prototyped {
            d.ty
        } else {
            // What an old-style definition takes is still told, for calls that come later.
            let types = params.iter().map(|p| self.promoted_type(p.ty.ty).into()).collect();
            let signature = Signature { params: types, ..signature.clone() };
            self.unit.types.intern(Type::Function(signature)).into()
        };
        let linkage = if s.internal { Linkage::Internal } else { Linkage::External };
        // An inline definition beside an external one does not count as the definition of the name, but has the body.
        let known = self.linked.get(&name).copied();
        let twice = known.is_some_and(|id| self.unit.functions.iter().rev().any(|f| f.object == id));
        if twice && !s.inline {
            let text = self.name(name).to_string();
            let before = self.unit.object(known.expect("it is known")).span;
            let has_inline = known.is_some_and(|id| !self.unit.object(id).defined);
            if !has_inline {
                return Err(self.say(
                    Diagnostic::error("c-redefined", d.span, format!("`{text}` is defined again"))
                        .also(before, "it is declared here"),
                ));
            }
        }
        let object = self.declare_linked(Object {
            name: Some(name),
            ty,
            storage: Storage::Static,
            linkage,
            defined: true,
            weak: d.attributes.weak || s.attributes.weak,
            align: 0,
            init: None,
            span: d.span,
        })?;
        self.scopes.bind(name, Binding::Object(object));
        self.check_result(&signature, d.span)?;
        let index = self.unit.functions.len();
        self.unit.functions.push(Function { object, params: Vec::new(), body: None, labels: Vec::new(), span: d.span });
        self.scopes.open();
        let mut objects = Vec::new();
        for p in &params {
            let id = self.plain_object(p.name, p.ty, Storage::Parameter, p.span);
            if let Some(name) = p.name {
                self.scopes.bind(name, Binding::Object(id));
            }
            objects.push(id);
        }
        self.function = Some(Frame {
            name,
            result: signature.result,
            labels: Vec::new(),
            label_names: FxHashMap::default(),
            switches: Vec::new(),
            loops: 0,
        });
        let brace = self.at;
        let nest = self.nest;
        let body = self.function_body(&params);
        let frame = self.function.take().expect("it was set");
        self.scopes.close_to(depth);
        self.nest = nest;
        let body = match body {
            Ok(body) => Some(body),
            Err(Lost) => {
                // This function is lost; the next declaration comes behind its closing brace.
                self.at = brace;
                self.skip_balanced();
                self.lost += 1;
                None
            }
        };
        let span = self.whole(start);
        let function = &mut self.unit.functions[index];
        function.params = objects;
        function.body = body;
        function.labels = frame.labels.iter().map(|l| l.0).collect();
        function.span = span;
        Ok(())
    }

    fn function_body(&mut self, params: &[Param]) -> Res<crate::tree::StmtId> {
        if self.word() != Word::LBrace {
            return Err(self.expected("`{`"));
        }
        for p in params {
            self.check_complete(p.ty, p.span, "the parameter")?;
        }
        let body = self.block_without_scope()?;
        let frame = self.function.as_ref().expect("a function is being read");
        if let Some(&(name, span, _)) = frame.labels.iter().find(|l| !l.2) {
            let text = self.name(name).to_string();
            return Err(self.error(span, "c-label", format!("there is no label `{text}` in this function")));
        }
        Ok(body)
    }

    fn check_result(&mut self, signature: &Signature, span: Span) -> Res<()> {
        if signature.result.ty == TypeId::VOID {
            return Ok(());
        }
        self.check_complete(signature.result, span, "the result")
    }

    /// The declarations between an old-style declarator and the body.
    fn old_style_parameters(&mut self, params: &mut [Param]) -> Res<()> {
        while self.word() != Word::LBrace {
            if !self.starts_type() {
                return Err(self.expected("`{`"));
            }
            let s = self.specifiers()?;
            while self.word() != Word::Semi {
                let d = self.declarator(s.ty, false)?;
                let ty = self.adjusted(d.ty);
                match params.iter_mut().find(|p| p.name == d.name) {
                    Some(p) => (p.ty, p.span) = (ty, d.span),
                    None => {
                        let text = self.name(d.name.expect("not abstract")).to_string();
                        return Err(self.error(d.span, "c-syntax", format!("`{text}` is no parameter")));
                    }
                }
                if !self.eat(Word::Comma) {
                    break;
                }
            }
            self.expect(Word::Semi, "`;`")?;
        }
        Ok(())
    }

    /// The number of a label, made if need be.
    pub(super) fn label(&mut self, name: Symbol, span: Span) -> Res<LabelId> {
        let Some(frame) = self.function.as_mut() else {
            return Err(self.error(span, "c-label", "labels belong into functions"));
        };
        if let Some(&id) = frame.label_names.get(&name) {
            return Ok(id);
        }
        let id = LabelId(frame.labels.len() as u32);
        frame.labels.push((name, span, false));
        frame.label_names.insert(name, id);
        Ok(id)
    }

    /// Sets a label here.
    pub(super) fn set_label(&mut self, name: Symbol, span: Span) -> Res<LabelId> {
        let id = self.label(name, span)?;
        let label = &mut self.function.as_mut().expect("labels are in functions").labels[id.0 as usize];
        let twice = std::mem::replace(&mut label.2, true);
        if twice {
            let text = self.name(name).to_string();
            return Err(self.error(span, "c-label", format!("the label `{text}` is set twice")));
        }
        Ok(id)
    }
}
