namespace Broker.Server.Tests.Jwts;

/// <summary>How often each claim has let something pass, and how often it has refused something.</summary>
internal sealed class ChainCounts
{
    private readonly Dictionary<string, (long Lets, long Refuses)> _decided = new(StringComparer.Ordinal);

    internal string Table => string.Join('\n', _decided.OrderBy(static d => d.Key, StringComparer.Ordinal).Select(static d => $"{d.Key}: {d.Value.Lets} accepted, {d.Value.Refuses} refused"));

    internal (long Lets, long Refuses) Of(string claim) => _decided.GetValueOrDefault(claim);

    internal void Add(string claim, bool lets)
    {
        (long accepted, long refused) = Of(claim);
        _decided[claim] = lets ? (accepted + 1, refused) : (accepted, refused + 1);
    }

    /// <summary>
    /// Counts all claims that had to agree. What has passed counts for each of them, and a refusal counts for the only
    /// claim that refuses.
    /// </summary>
    internal void Add(IReadOnlyCollection<(string Claim, bool Lets)> claims)
    {
        int refusing = claims.Count(static c => !c.Lets);
        foreach ((string claim, bool lets) in claims)
        {
            if (refusing == 0 || (!lets && refusing == 1))
            {
                Add(claim, lets);
            }
        }
    }
}
