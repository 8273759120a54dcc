-- Ban; the same as src/core/ban.hpp.
--
-- ban:  id (8) · denials (2) · within (7) · duration (7)
-- body: end of the ban, or of the window in which denials are counted (7) · denials (2) · banned (1)
local ban = {}

-- Returns: how long a check at `now` is still banned; 0: it is not.
function ban.left(args, at, body)
    if #body < 10 then return 0 end
    local finish, _, banned = unpack('<I7I2I1', body)
    if banned == 0 or now >= finish then return 0 end
    local _, _, duration = unpack('<I2I7I7', args, at + 8)
    return min(finish - now, duration) -- a clock that stepped back does not make the ban longer
end

-- Returns: the body after one more denial, its end, and how long a ban lasts
-- that this denial starts, else 0. Requires: not banned.
function ban.after_denial(args, at, body)
    local denials, within, duration = unpack('<I2I7I7', args, at + 8)
    local finish, count, t = now + within, 0, now
    if #body >= 10 then
        local held_finish, held, banned = unpack('<I7I2I1', body)
        if banned == 0 and held > 0 and now < held_finish then
            finish, count, t = held_finish, held, max(now, held_finish - within)
        end
    end
    count = count + 1
    if count >= denials then return pack('<I7I2I1', t + duration, 0, 1), t + duration, duration end
    return pack('<I7I2I1', finish, count, 0), finish, 0
end
