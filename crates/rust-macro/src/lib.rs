//! `#[derive(Encode)]`: the encoding of a state, field by field.
//!
//! A struct is encoded as its fields in the order of their declaration, an enum as the index of its variant (one byte, or
//! two above 256 variants) and the fields of the variant. The derived code names each field to the encoder, so that a
//! faulty encoding can be reported by the path of its field.
//!
//! The code refers to the traits as `::ferrospin::rust`; `#[encode(crate = path)]` names another place.

use proc_macro::TokenStream;
use proc_macro2::{Ident, Literal, Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, GenericParam, Index, Path, parse_macro_input};

/// Derives `Encode` for a struct or an enum whose fields are `Encode`.
#[proc_macro_derive(Encode, attributes(encode))]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    let home = match home(&input) {
        Ok(path) => path,
        Err(error) => return error.to_compile_error().into(),
    };
    for param in &mut input.generics.params {
        if let GenericParam::Type(t) = param {
            t.bounds.push(syn::parse_quote!(#home::Encode));
        }
    }
    let body = match &input.data {
        Data::Struct(s) => of_struct(&home, &s.fields),
        Data::Enum(e) => {
            let variants: Vec<_> = e.variants.iter().map(|v| (v.ident.clone(), v.fields.clone())).collect();
            of_enum(&home, &variants)
        }
        Data::Union(u) => {
            syn::Error::new(u.union_token.span, "a union has no encoding: use a struct or an enum").to_compile_error()
        }
    };
    let name = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #home::Encode for #name #ty_generics #where_clause { #body }
    }
    .into()
}

/// Where the traits are.
fn home(input: &DeriveInput) -> syn::Result<Path> {
    let mut home: Path = syn::parse_quote!(::ferrospin::rust);
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("encode")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                home = meta.value()?.parse()?;
                return Ok(());
            }
            Err(meta.error("expected `crate = path`"))
        })?;
    }
    Ok(home)
}

/// The name of a field in paths: its identifier, or its index in a tuple.
fn label(index: usize, ident: Option<&Ident>) -> Literal {
    Literal::string(&ident.map_or_else(|| index.to_string(), Ident::to_string))
}

fn of_struct(home: &Path, fields: &Fields) -> Tokens {
    let members: Vec<(Literal, Tokens)> = fields
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let member = f.ident.as_ref().map_or_else(
                || {
                    let index = Index::from(i);
                    quote!(#index)
                },
                |ident| quote!(#ident),
            );
            (label(i, f.ident.as_ref()), member)
        })
        .collect();
    let encode = members.iter().map(|(label, member)| quote!(out.field(#label, &self.#member);));
    let decode = members.iter().map(|(_, member)| quote!(#member: #home::Encode::decode(input),));
    let decode_into = members.iter().map(|(_, member)| quote!(#home::Encode::decode_into(&mut self.#member, input);));
    quote! {
        #[inline]
        fn encode(&self, out: &mut #home::Encoder) { let _ = &out; #(#encode)* }
        #[inline]
        fn decode(input: &mut #home::Decoder<'_>) -> Self { let _ = &input; Self { #(#decode)* } }
        #[inline]
        fn decode_into(&mut self, input: &mut #home::Decoder<'_>) { let _ = &input; #(#decode_into)* }
    }
}

fn of_enum(home: &Path, variants: &[(Ident, Fields)]) -> Tokens {
    let wide = variants.len() > 256;
    let number = |i: usize| if wide { Literal::u16_suffixed(i as u16) } else { Literal::u8_suffixed(i as u8) };
    let arms = variants.iter().enumerate().map(|(i, (name, fields))| {
        let number = number(i);
        let bound: Vec<Ident> = (0..fields.len()).map(|f| format_ident!("field_{f}")).collect();
        let labels = fields.iter().enumerate().map(|(f, field)| label(f, field.ident.as_ref()));
        let pattern = match fields {
            Fields::Named(named) => {
                let idents = named.named.iter().map(|f| f.ident.as_ref().expect("a named field"));
                quote!({ #(#idents: #bound),* })
            }
            Fields::Unnamed(_) => quote!(( #(#bound),* )),
            Fields::Unit => quote!(),
        };
        quote!(Self::#name #pattern => { out.value(&#number); #(out.field(#labels, #bound);)* })
    });
    let made = variants.iter().enumerate().map(|(i, (name, fields))| {
        let number = number(i);
        let values = fields.iter().map(|f| {
            let prefix = f.ident.as_ref().map(|ident| quote!(#ident:));
            quote!(#prefix #home::Encode::decode(input))
        });
        let values = match fields {
            Fields::Named(_) => quote!({ #(#values),* }),
            Fields::Unnamed(_) => quote!(( #(#values),* )),
            Fields::Unit => quote!(),
        };
        quote!(#number => Self::#name #values,)
    });
    let width = Ident::new(if wide { "u16" } else { "u8" }, Span::call_site());
    let encode = if variants.is_empty() { quote!(match *self {}) } else { quote!(match self { #(#arms)* }) };
    quote! {
        #[inline]
        fn encode(&self, out: &mut #home::Encoder) { let _ = &out; #encode }
        #[inline]
        fn decode(input: &mut #home::Decoder<'_>) -> Self {
            match <#width as #home::Encode>::decode(input) {
                #(#made)*
                other => ::core::panic!("a state holds variant {other}, which does not exist: it was not encoded as it is decoded"),
            }
        }
    }
}
