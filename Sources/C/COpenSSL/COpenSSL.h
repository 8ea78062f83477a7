#pragma once
// What the module Cryptography uses of OpenSSL 3, and a function for each thing that the headers offer only as a macro.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/param_build.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

static inline void counterfoil_openssl_free(void *memory) { OPENSSL_free(memory); }

// Parameters keep the address of their name, which a Swift string would not outlive.
static inline const char *counterfoil_group_parameter(void) { return OSSL_PKEY_PARAM_GROUP_NAME; }
static inline const char *counterfoil_public_key_parameter(void) { return OSSL_PKEY_PARAM_PUB_KEY; }
static inline const char *counterfoil_private_key_parameter(void) { return OSSL_PKEY_PARAM_PRIV_KEY; }

static const int counterfoil_public_key_selection = EVP_PKEY_PUBLIC_KEY;
static const int counterfoil_key_pair_selection = EVP_PKEY_KEYPAIR;

static inline int counterfoil_extended_key_usage_count(const EXTENDED_KEY_USAGE *usage) {
  return sk_ASN1_OBJECT_num(usage);
}
static inline const ASN1_OBJECT *counterfoil_extended_key_usage(const EXTENDED_KEY_USAGE *usage, int index) {
  return sk_ASN1_OBJECT_value(usage, index);
}

// OpenSSL 3 calls it deprecated and has nothing in its place. Where it is gone, multiplications only take longer.
static inline void counterfoil_prepare_multiples(EC_GROUP *group, BN_CTX *scratch) {
#ifndef OPENSSL_NO_DEPRECATED_3_0
  (void)EC_GROUP_precompute_mult(group, scratch);
#endif
}

// Macros over EVP_CIPHER_CTX_ctrl and its constants, under names of functions.
static inline int counterfoil_set_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, count, tag);
}
static inline int counterfoil_get_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, tag);
}

// Stacks are typed by macros. The certificate in the stack stays the caller's.
static inline struct stack_st_X509 *counterfoil_certificate_stack(struct x509_st *certificate) {
  struct stack_st_X509 *stack = sk_X509_new_null();
  if (stack != NULL && sk_X509_push(stack, certificate) == 0) {
    sk_X509_free(stack);
    return NULL;
  }
  return stack;
}
static inline void counterfoil_certificate_stack_free(struct stack_st_X509 *stack) { sk_X509_free(stack); }

static inline struct stack_st_OPENSSL_STRING *counterfoil_ocsp_addresses(struct x509_st *certificate) {
  return X509_get1_ocsp(certificate);
}
static inline int counterfoil_string_count(struct stack_st_OPENSSL_STRING *strings) {
  return sk_OPENSSL_STRING_num(strings);
}
static inline const char *counterfoil_string(struct stack_st_OPENSSL_STRING *strings, int index) {
  return sk_OPENSSL_STRING_value(strings, index);
}
static inline void counterfoil_strings_free(struct stack_st_OPENSSL_STRING *strings) { X509_email_free(strings); }

// The digest with which an OCSP certificate id was made; NULL if OpenSSL does not know it.
static inline const EVP_MD *counterfoil_ocsp_id_digest(OCSP_CERTID *id) {
  ASN1_OBJECT *digest = NULL;
  if (OCSP_id_get0_info(NULL, &digest, NULL, NULL, id) != 1) return NULL;
  return EVP_get_digestbyobj(digest);
}
