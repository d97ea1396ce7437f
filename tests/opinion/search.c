#include "opinion/search.h"

#include <math.h>
#include <string.h>
#include "opinion/values.h"

enum { STEPS_MOST = 12, SLOTS_MOST = 160, BISECTIONS_MOST = 70, QUIET_MOST = 200 };

/* A place in a script that holds a value. */
typedef struct slot {
    json_t *holder;
    const char *key; /* NULL: the index counts */
    size_t index;
    bool whole; /* milliseconds and amounts */
} slot;

typedef struct slots {
    slot list[SLOTS_MOST];
    size_t count;
} slots;

/* ---- what a script holds ---- */

static void add_slot(slots *self, json_t *holder, const char *key, size_t index, bool whole)
{
    if (self->count < SLOTS_MOST)
        self->list[self->count++] = (slot){holder, key, index, whole};
}

static void collect(slots *self, json_t *holder)
{
    json_t *value;
    const char *key;
    size_t index;
    json_object_foreach(holder, key, value)
    {
        add_slot(self, holder, key, 0, false);
        collect(self, value);
    }
    json_array_foreach(holder, index, value)
    {
        add_slot(self, holder, NULL, index, false);
        collect(self, value);
    }
}

static void collect_script(slots *self, json_t *script)
{
    static const char *const keys[] = {"data", "output", "message", "id", "usage", "advance"};
    json_t *step;
    size_t i;
    self->count = 0;
    json_array_foreach(script, i, step)
    {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(step, keys[k]);
            if (value && k != 4)
                add_slot(self, step, keys[k], 0, k == 5);
            collect(self, value);
        }
        collect(self, json_object_get(json_object_get(step, "host"), "patch"));
    }
}

static json_t *slot_get(const slot *self)
{
    return self->key ? json_object_get(self->holder, self->key)
                     : json_array_get(self->holder, self->index);
}

static void slot_set(const slot *self, json_t *value)
{
    if (self->key)
        json_object_set_new_nocheck(self->holder, self->key, value);
    else
        json_array_set_new(self->holder, self->index, value);
}

/* ---- what was seen ---- */

/* True the first time. */
static bool is_new(search *self, uint64_t look)
{
    size_t at = look % SEEN_MOST;
    if (self->seen_count > SEEN_MOST / 2)
        return false;
    for (; self->seen[at]; at = (at + 1) % SEEN_MOST)
        if (self->seen[at] == look)
            return false;
    self->seen[at] = look ? look : 1;
    self->seen_count++;
    return true;
}

static void keep(search *self, const json_t *script)
{
    size_t at =
        self->kept_count < KEPT_MOST ? self->kept_count++ : draw(&self->random, KEPT_MOST);
    json_decref(self->kept[at]);
    self->kept[at] = json_deep_copy(script);
}

static void note_found(search *self)
{
    const watcher *watch = self->run->watch;
    for (size_t i = 0; i < watch->count; i++) {
        if (!watch->list[i].violated ||
            (self->found[i] &&
             json_array_size(self->found[i]) <= json_array_size(self->run->played)))
            continue;
        json_decref(self->found[i]);
        self->found[i] = json_deep_copy(self->run->played);
    }
}

/* ---- runs ---- */

static bool begin(search *self, const json_t *script)
{
    self->left--;
    self->runs++;
    if (!run_begin(self->run, json_array_get(script, 0)))
        return false;
    note_found(self);
    return true;
}

static bool step(search *self, const json_t *one)
{
    bool good = run_step(self->run, one);
    note_found(self);
    return good;
}

bool search_play(search *self, const json_t *script)
{
    const json_t *one;
    size_t i;
    if (!begin(self, script))
        return false;
    json_array_foreach(script, i, one)
    {
        if (i > 0)
            step(self, one);
    }
    return true;
}

/* Plays the script, and then `more` steps that are drawn. Keeps it if it saw anything new. */
static uint64_t play(search *self, const json_t *script, uint32_t more)
{
    json_t *good = json_array(), *one;
    bool new = false;
    size_t i;
    json_array_append(good, json_array_get(script, 0));
    if (!begin(self, script)) {
        json_decref(good);
        return 0;
    }
    json_array_foreach((json_t *)script, i, one)
    {
        if (i > 0 && step(self, one)) {
            json_array_append_new(good, json_deep_copy(one));
            new = is_new(self, self->run->look) || new;
        }
    }
    while (more-- > 0 && json_array_size(good) < STEPS_MOST) {
        one = run_draw(self->run, &self->random);
        if (one && step(self, one)) {
            json_array_append(good, one);
            new = is_new(self, self->run->look) || new;
        }
        json_decref(one);
    }
    self->quiet = new ? 0 : self->quiet + 1;
    if (new)
        keep(self, good);
    json_decref(good);
    return self->run->signature;
}

static json_t *one_kept(search *self)
{
    if (self->kept_count == 0)
        return json_pack("[o]", run_draw_start(self->run, &self->random));
    return json_deep_copy(self->kept[draw(&self->random, (uint32_t)self->kept_count)]);
}

static void lengthen(search *self)
{
    json_t *script = one_kept(self);
    size_t count = json_array_size(script);
    if (draw_percent(&self->random, 10))
        json_array_set_new(script, 0, run_draw_start(self->run, &self->random));
    if (draw_percent(&self->random, 40))
        for (size_t cut = draw(&self->random, (uint32_t)count); cut > 0; cut--)
            json_array_remove(script, json_array_size(script) - 1);
    play(self, script, 1 + draw(&self->random, 6));
    json_decref(script);
}

/* Another value at one place, which may be one that stands elsewhere in the script. */
static void change(search *self)
{
    slots all;
    json_t *script = one_kept(self);
    collect_script(&all, script);
    for (uint32_t n = 1 + draw(&self->random, 2); all.count > 0 && n > 0; n--) {
        collect_script(&all, script);
        const slot *at = &all.list[draw(&self->random, (uint32_t)all.count)];
        const slot *from = &all.list[draw(&self->random, (uint32_t)all.count)];
        json_t *value = draw_percent(&self->random, 30)
                            ? json_deep_copy(slot_get(from))
                            : value_near(slot_get(at), &self->random);
        if (at->whole && json_is_number(value)) {
            double number = floor(fabs(json_number_value(value)));
            json_decref(value);
            value = value_json(fmin(number, 1e11));
        }
        slot_set(at, value);
    }
    play(self, script, draw(&self->random, 3));
    json_decref(script);
}

static uint64_t play_with(search *self, json_t *script, const slot *at, double number)
{
    slot_set(at, value_json(number));
    return play(self, script, 0);
}

static double halfway(double low, double high, bool whole)
{
    return whole ? floor(low + (high - low) / 2) : value_between(low, high);
}

static void bisect_at(search *self, json_t *script, const slot *at)
{
    double low = json_number_value(slot_get(at)), high = value_number(&self->random);
    bool whole = at->whole || draw_percent(&self->random, 40);
    if (at->whole)
        high = fmin(fabs(high), 1e11);
    if (whole)
        high = floor(high), low = floor(low);
    uint64_t seen_low = play_with(self, script, at, low);
    uint64_t seen_high = play_with(self, script, at, high);
    for (int i = 0; i < BISECTIONS_MOST && seen_low != seen_high; i++) {
        double middle = halfway(fmin(low, high), fmax(low, high), whole);
        if (middle == low || middle == high || !isfinite(middle))
            break;
        uint64_t seen = play_with(self, script, at, middle);
        if (seen == seen_low)
            low = middle;
        else
            high = middle, seen_high = seen;
    }
}

static void bisect(search *self)
{
    slots all;
    json_t *script = one_kept(self);
    collect_script(&all, script);
    for (int tries = 0; tries < 10 && all.count > 0; tries++) {
        const slot *at = &all.list[draw(&self->random, (uint32_t)all.count)];
        if (!json_is_number(slot_get(at)))
            continue;
        bisect_at(self, script, at);
        break;
    }
    json_decref(script);
}

void search_open(search *self, player *run, uint64_t seed, long runs)
{
    *self = (search){.run = run, .random = {seed}, .left = runs};
}

void search_on(search *self)
{
    while (self->left > 0 && self->quiet < QUIET_MOST) {
        uint32_t kind = draw(&self->random, 100);
        long before = self->left;
        if (self->kept_count < 3 || kind < 55)
            lengthen(self);
        else if (kind < 92)
            change(self);
        else
            bisect(self);
        if (self->left == before)
            self->left--;
    }
}

void search_close(search *self)
{
    for (size_t i = 0; i < self->kept_count; i++)
        json_decref(self->kept[i]);
    for (size_t i = 0; i < PROPERTIES_MOST; i++)
        json_decref(self->found[i]);
}
