/* store/memory_rates.c: the memory store's rates, which all sessions share. */
#include "store/memory.h"

#include <string.h>

static wf_rate_row *find_row(const wf_memory *memory, const wfsm_rate *rate)
{
    for (size_t i = 0; i < memory->rate_count; i++)
        if (memory->rates[i].kind == rate->kind && !strcmp(memory->rates[i].name, rate->name))
            return &memory->rates[i];
    return NULL;
}

static bool add_row(wf_memory *memory, const wfsm_rate *rate)
{
    wf_rate_row *rows = wf_grow(&memory->allocator, memory->rates, &memory->rate_capacity,
                                memory->rate_count + 1, sizeof *rows);
    if (!rows)
        return false;
    memory->rates = rows;
    char *name = wf_copy_text(&memory->allocator, rate->name, strlen(rate->name));
    if (!name)
        return false;
    rows[memory->rate_count++] = (wf_rate_row){.kind = rate->kind, .name = name};
    return true;
}

int32_t wf_memory_rates(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                        wfsm_error *error)
{
    wf_memory *memory = self;
    for (size_t i = 0; i < count; i++)
        if (!find_row(memory, rates[i]) && !add_row(memory, rates[i]))
            return wf_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        wf_token_bucket *bucket = &find_row(memory, rates[i])->bucket;
        wf_token_bucket_set(bucket, rates[i]->count, rates[i]->per_ms);
        rates[i]->granted = wf_token_bucket_take(bucket, rates[i]->wanted, WF_TOKENS_AHEAD, now,
                                                 &rates[i]->wait_ms);
    }
    return WFSM_OK;
}

void wf_memory_rates_free(wf_memory *memory)
{
    while (memory->rate_count > 0)
        wf_free(&memory->allocator, memory->rates[--memory->rate_count].name);
    wf_free(&memory->allocator, memory->rates);
}
