namespace Broker.Server;

/// <summary>The claim <c>revocations</c>: JWTs that were issued up to a time are not valid any more.</summary>
internal sealed class Revocations
{
    private const string Everybody = "*";

    private readonly Dictionary<string, long> _times = new(StringComparer.Ordinal);

    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal Revocations(ClaimObject claims)
    {
        foreach (string key in claims.Names)
        {
            if (key is not Everybody && !PublicKey.IsValid(key, KeyKind.User) && !PublicKey.IsValid(key, KeyKind.Account))
            {
                throw claims.Wrong(key, "is neither a public key nor \"*\"");
            }

            _times.Add(key, claims.Whole(key));
        }
    }

    /// <summary>Whether a JWT for this key, issued at this Unix time in seconds, is revoked.</summary>
    internal bool Contain(string key, long issued)
        => (_times.TryGetValue(key, out long time) && issued <= time) || (_times.TryGetValue(Everybody, out time) && issued <= time);
}
