/*
 * verify/domain.h: a set of JSON values, described roughly: it may contain more values than meant,
 * never fewer. The solver narrows the domains of terms until none is left, or a value is found.
 */
#ifndef WF_VERIFY_DOMAIN_H
#define WF_VERIFY_DOMAIN_H

#include "logic/schema_tree.h"

enum { WF_DOMAIN_TEXTS = 64 };

/* A bound of texts in the order of their bytes. */
typedef struct wf_text_bound {
    const wf_value *text; /* NULL: there is none */
    bool strict;          /* the text itself is not in the domain */
} wf_text_bound;

typedef struct wf_value_domain {
    uint8_t types;  /* bits 1 << enum wf_type; 0: there is no value */
    bool fails;     /* it is possible that the term cannot be evaluated */
    uint8_t truths; /* booleans: bit 1 << value */
    bool whole;     /* numbers are integers */
    double least, most;               /* numbers */
    /* What texts are converted to as numbers; `numeric`: each of them is one. */
    double worth_least, worth_most;
    bool numeric;
    double length_least, length_most; /* code points of texts, elements of lists */
    wf_text_bound text_least, text_most;
    /* Texts: one of these, or, if `others`, any but these. */
    bool others;
    uint32_t text_count;
    const wf_value *texts[WF_DOMAIN_TEXTS];
    /* The only value if the domain is a single one that is known; else NULL. */
    const wf_value *known;
} wf_value_domain;

enum {
    WF_TYPE_NULL = 1 << WF_NULL,
    WF_TYPE_BOOLEAN = 1 << WF_BOOLEAN,
    WF_TYPE_NUMBER = 1 << WF_NUMBER,
    WF_TYPE_STRING = 1 << WF_STRING,
    WF_TYPE_ARRAY = 1 << WF_ARRAY,
    WF_TYPE_OBJECT = 1 << WF_OBJECT,
    WF_TYPES = 0x7E
};

/* Every value of these types. */
wf_value_domain wf_domain_of_types(uint8_t types);
/* That one value, which must live as long as the domain. */
wf_value_domain wf_domain_of_value(const wf_value *value);
/* Every value that fits the schema; what the description cannot say is left in. */
wf_value_domain wf_domain_of_schema(const wf_schema *schema);
/* True if all values of the domain fit the schema. False also where that is not known: only their types
 * and numbers are looked at. */
bool wf_domain_within(const wf_value_domain *domain, const wf_schema *schema);

/* Keep what is in both. True if the domain has changed. */
bool wf_domain_meet(wf_value_domain *domain, const wf_value_domain *other);
bool wf_domain_keep_types(wf_value_domain *domain, uint8_t types);
bool wf_domain_at_least(wf_value_domain *domain, double number);
bool wf_domain_at_most(wf_value_domain *domain, double number);
/* Keep the texts that are converted to numbers in these bounds. */
bool wf_domain_worth(wf_value_domain *domain, double least, double most);
bool wf_domain_length(wf_value_domain *domain, double least, double most);
bool wf_domain_text_bounds(wf_value_domain *domain, wf_text_bound least, wf_text_bound most);
/* Keep what a guard takes for true, or for false. */
bool wf_domain_keep_truth(wf_value_domain *domain, bool truth);
/* Drops one value, where the description can say so. */
bool wf_domain_drop(wf_value_domain *domain, const wf_value *value);
/* What is in one of them or in the other; it may contain more. */
wf_value_domain wf_domain_join(const wf_value_domain *a, const wf_value_domain *b);

/* Drops types of which no value is left. */
void wf_domain_tidy(wf_value_domain *domain);
static inline bool wf_domain_only(const wf_value_domain *domain, uint8_t types)
{
    return (domain->types & ~types) == 0;
}
/* Which truths its values can have: bit 1 << truth. */
unsigned wf_domain_truths(const wf_value_domain *domain);
/* True if there is only one value, which is then in *value. */
bool wf_domain_single(const wf_value_domain *domain, wf_value *value);
/* True if the value may be in the domain. */
bool wf_domain_has(const wf_value_domain *domain, const wf_value *value);
/* The least or the greatest text, as far as it is known. */
wf_text_bound wf_domain_text_end(const wf_value_domain *domain, bool least);
/* In the order of bytes: less than 0, 0, or more than 0. */
int wf_text_order(const wf_value *a, const wf_value *b);
#endif
