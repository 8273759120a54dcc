-- Concurrency; the same as src/core/concurrency.hpp.
--
-- limit:  flags (1) · limit (7) · lease (7) · id of the lease (8)
-- body:   last end (7) · lease (7) · leases: id (8) · end (7) · units (3)
-- answer: granted · used after it · time until the last lease ends · time of the grant · wait
local concurrency = {}

local FIRST, LEASE = 15, 18

-- Returns: the leases that have not ended, as bytes; their units; the last end; their ends and units.
local function live_leases(body)
    local kept, held, last_end, leases = {}, 0, 0, {}
    for at = FIRST, #body - LEASE + 1, LEASE do
        local finish, units = unpack('<I7I3', body, at + 8)
        if finish > now then
            kept[#kept + 1] = sub(body, at, at + LEASE - 1)
            held = held + units
            last_end = max(last_end, finish)
            leases[#leases + 1] = {finish, units}
        end
    end
    return concat(kept), held, last_end, leases
end

function concurrency.decide(args, at, body, cost, count, mode)
    local flags, limit, lease_us = unpack('<I1I7I7', args, at)
    local kept, used, last_end, leases = live_leases(body)
    local granted = 0
    if cost == 0 then
        granted = count
    elseif flags % 2 ~= NEVER and used + cost <= limit then
        granted = 1
    end
    local next
    if mode == TAKE and granted > 0 and cost > 0 then
        local finish = now + lease_us
        used = used + cost
        last_end = max(last_end, finish)
        next = pack('<I7I7', last_end, lease_us) .. kept .. sub(args, at + 15, at + 22) .. pack('<I7I3', finish, cost)
    end
    local retry = 0
    if granted == 0 and flags % 2 ~= NEVER then
        table.sort(leases, function(a, b) return a[1] < b[1] end)
        local held = used
        for _, lease in ipairs(leases) do
            held = held - lease[2]
            retry = lease[1] - now
            if held + cost <= limit then break end
        end
    end
    return granted, next, last_end, used, last_end > 0 and last_end - now or 0, now, retry
end

-- Ends the lease `id`, or lets it last its full time again, from now.
-- Returns: the body, when the last lease ends, and whether it was held; nil: there is no such lease.
function concurrency.change(body, id, renews)
    if #body < FIRST then return nil end
    local lease_us = unpack('<I7', body, 8)
    local kept, last_end, held, found = {}, 0, false, false
    for at = FIRST, #body - LEASE + 1, LEASE do
        local finish, units = unpack('<I7I3', body, at + 8)
        local ours = sub(body, at, at + 7) == id
        found = found or ours
        if ours and finish > now then
            held = true
            if renews then finish = max(finish, now + lease_us) end
        end
        if not ours or renews then
            kept[#kept + 1] = sub(body, at, at + 7) .. pack('<I7I3', finish, units)
            last_end = max(last_end, finish)
        end
    end
    if not found then return nil end
    return #kept > 0 and pack('<I7I7', last_end, lease_us) .. concat(kept) or '', last_end, held
end
