-- Units in the order of their places: the parts of a sliding window, or the
-- microseconds of a log. Only places that hold units are kept, each with the
-- running total of units up to it, so that a search finds what has left, and a
-- grant writes one pair.
--
-- body: as new (7) · width of a place (1) · width of a total (1) · total
--       before the first pair · pairs of (place, total), oldest first
--
-- The newest place follows from when the timeline is as new, as its algorithm knows.
-- Places are kept modulo 256^width from the newest, totals modulo 256^width:
-- what is compared is never further apart. Between calls a timeline is a table.
local PAIRS = {}
for place = 1, 8 do
    PAIRS[place] = {}
    for total = 1, 8 do PAIRS[place][total] = '<I' .. place .. 'I' .. total end
end

local timeline = {}

-- Returns: when the timeline of a body is as new; nil: the body has none.
function timeline.as_new(body)
    return #body >= 11 and unpack('<I7', body) or nil
end

function timeline.read(body, newest)
    local line = {body = body, newest = newest}
    line.place_width, line.total_width = unpack('<I1I1', body, 8)
    line.base = unpack(FORMAT[line.total_width], body, 10)
    line.format = PAIRS[line.place_width][line.total_width]
    line.size = line.place_width + line.total_width
    line.first = 10 + line.total_width -- where the pairs begin
    line.count = (#body + 1 - line.first) / line.size
    local _, last = unpack(line.format, body, #body + 1 - line.size)
    line.last = last
    return line
end

-- Returns: place and running total of pair i, from 1.
function timeline.pair(line, i)
    local place, total = unpack(line.format, line.body, line.first + (i - 1) * line.size)
    return line.newest - (line.newest - place) % RANGE[line.place_width], total
end

function timeline.total_before(line, i)
    if i == 1 then return line.base end
    local _, total = timeline.pair(line, i - 1)
    return total
end

-- Returns: the units from pair i on.
function timeline.units_from(line, i)
    if i > line.count then return 0 end
    return (line.last - timeline.total_before(line, i)) % RANGE[line.total_width]
end

-- Returns: the first pair whose place is not before `oldest`. Steps that double
-- find a short stretch; then the search halves.
function timeline.first_from(line, oldest)
    if line.newest < oldest then return line.count + 1 end
    local low, probe = 0, 1
    while probe <= line.count and timeline.pair(line, probe) < oldest do
        low = probe
        probe = probe * 2
    end
    local high = min(probe - 1, line.count)
    while low < high do
        local middle = floor((low + high) / 2) + 1
        if timeline.pair(line, middle) < oldest then low = middle else high = middle - 1 end
    end
    return low + 1
end

-- Returns: the first pair from i on after which at least `units` have left, counted from i.
function timeline.after_leaving(line, i, units)
    local before, range = timeline.total_before(line, i), RANGE[line.total_width]
    local low, high = i, line.count
    while low < high do
        local middle = floor((low + high) / 2)
        local _, total = timeline.pair(line, middle)
        if (total - before) % range >= units then high = middle else low = middle + 1 end
    end
    return low
end

-- Returns: the body with all pairs from `first` on, the oldest `dropped` units
-- of them forgotten, and `units` more at `place`, which is not before the newest
-- and at `as_new_us` is as new.
function timeline.add(line, first, dropped, place, units, place_width, total_width, as_new_us)
    local live = line and timeline.units_from(line, first) or 0
    local total = live - dropped + units
    if not line or first > line.count or live == dropped then
        local width = max(total_width, width_of(units))
        return pack('<I7I1I1', as_new_us, place_width, width) .. pack(FORMAT[width], 0)
            .. pack(PAIRS[place_width][width], place % RANGE[place_width], units)
    end
    if total >= RANGE[line.total_width] then line = timeline.widen(line, width_of(total)) end
    local range = RANGE[line.total_width]
    local base = (timeline.total_before(line, first) + dropped) % range
    if dropped > 0 then first = timeline.after_leaving(line, first, dropped + 1) end
    local stop = #line.body
    if line.newest == place then stop = stop - line.size end
    return pack('<I7I1I1', as_new_us, line.place_width, line.total_width) .. pack(FORMAT[line.total_width], base)
        .. sub(line.body, line.first + (first - 1) * line.size, stop)
        .. pack(line.format, place % RANGE[line.place_width], (line.last + units) % range)
end

-- Returns: the same timeline with wider totals.
function timeline.widen(line, width)
    local range, pairs_ = RANGE[line.total_width], {}
    for i = 1, line.count do
        local place, total = timeline.pair(line, i)
        pairs_[i] = pack(PAIRS[line.place_width][width], place % RANGE[line.place_width], (total - line.base) % range)
    end
    return timeline.read(sub(line.body, 1, 7) .. pack('<I1I1', line.place_width, width) .. pack(FORMAT[width], 0)
        .. concat(pairs_), line.newest)
end

-- Returns: the body without `units` of `place`, and when it is as new; nil if
-- there are none. `as_new_of`: when a newest place is as new.
function timeline.remove(line, place, units, as_new_of)
    local i = timeline.first_from(line, place)
    if i > line.count or timeline.pair(line, i) ~= place then return nil end
    local range = RANGE[line.total_width]
    local _, last = timeline.pair(line, i)
    local gone = min(units, (last - timeline.total_before(line, i)) % range)
    local empty = gone == (last - timeline.total_before(line, i)) % range
    local kept, newest = {}, nil
    for j = 1, line.count do
        local at, total = timeline.pair(line, j)
        if j ~= i or not empty then
            if j >= i then total = (total - gone) % range end
            kept[#kept + 1] = pack(line.format, at % RANGE[line.place_width], total)
            newest = at
        end
    end
    if not newest then return '', 0 end
    local as_new_us = as_new_of(newest)
    return pack('<I7I1I1', as_new_us, line.place_width, line.total_width) .. pack(FORMAT[line.total_width], line.base)
        .. concat(kept), as_new_us
end
