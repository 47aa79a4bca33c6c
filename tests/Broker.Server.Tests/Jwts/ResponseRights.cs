using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>The random claim <c>resp</c> of a user, a role or an account, beside permissions for other subjects.</summary>
internal sealed class ResponseRights
{
    private readonly bool _has;
    private readonly bool _hasOthers;
    private readonly int _max;
    private readonly long _ttl;

    internal ResponseRights(Random random)
    {
        _has = random.Next(4) > 0;
        _hasOthers = !_has || random.Next(2) == 0;
        _ttl = random.Next(6) switch { 0 => 1, 1 => -1, 2 => 0, _ => 3_600_000_000_000 };
        _max = _ttl == 1 ? -1 : random.Next(-1, 4);
    }

    /// <summary>Whether each response comes too late, and nothing but the time limits responses.</summary>
    internal bool IsShort => _has && _ttl == 1;

    /// <summary>The members <c>pub</c>, <c>sub</c> and <c>resp</c>.</summary>
    internal string ToJson()
        => "\"sub\":{\"allow\":[\"rq\"]}" + (_hasOthers ? ",\"pub\":{\"allow\":[\"ok\"]}" : "")
            + (_has ? string.Create(CultureInfo.InvariantCulture, $",\"resp\":{{\"max\":{_max},\"ttl\":{_ttl}}}") : "");

    /// <summary>The claim that decides about a response, and whether it lets it pass.</summary>
    /// <param name="before">The number of responses before.</param>
    internal (string Claim, bool Lets) Decide(int before)
        => !_has ? ("resp", false)
            : IsShort ? ("ttl of resp", false)
            : _max >= 0 ? ("max of resp", before < Math.Max(_max, 1))
            : (_ttl > 0 ? "ttl of resp" : "resp", true);
}
