namespace Broker.Server;

/// <summary>The permissions in the claims of a user, a signing key or an account.</summary>
/// <param name="Publish">The claim <c>pub</c>.</param>
/// <param name="Subscribe">The claim <c>sub</c>.</param>
/// <param name="Responses">The claim <c>resp</c>; null for none.</param>
internal sealed record JwtPermissions(SubjectPermissions Publish, SubjectPermissions Subscribe, ResponsePermissions? Responses)
{
    // The default of nats-server for a claim "resp" with the number 0.
    private const int DefaultResponses = 1;

    private static readonly TimeSpan DefaultTime = new ResponsePermissions().Expires;

    /// <summary>Whether the claims contain no permission, so that everything is allowed.</summary>
    internal bool AreEmpty => Publish is { Allow: null, Deny.Count: 0 } && Subscribe is { Allow: null, Deny.Count: 0 } && Responses is null;

    /// <summary>Reads the permissions in an object. Subjects are checked only by <see cref="Compile"/>.</summary>
    internal static JwtPermissions Read(ClaimObject claims)
        => new(Subjects(claims.Object("pub")), Subjects(claims.Object("sub")), ResponsesOf(claims));

    /// <summary>Compiles the permissions. Returns null if everything is allowed.</summary>
    /// <exception cref="ArgumentException">An entry is not a valid subject.</exception>
    internal AccessRules? Compile()
        => AreEmpty ? null : new Permissions { Publish = Publish, Subscribe = Subscribe, Responses = Responses }.Rules;

    // An empty list of JSON is a list that nsc has not filled: it allows everything.
    private static SubjectPermissions Subjects(ClaimObject claims)
        => new()
        {
            Allow = claims.Texts("allow") is { Count: > 0 } allow ? allow : null,
            Deny = claims.Texts("deny"),
        };

    private static ResponsePermissions? ResponsesOf(ClaimObject claims)
    {
        if (!claims.Has("resp"))
        {
            return null;
        }

        ClaimObject found = claims.Object("resp");
        long nanoseconds = found.Whole("ttl");
        int max = (int)Math.Clamp(found.Whole("max"), -1, int.MaxValue);
        return new ResponsePermissions
        {
            MaxMessages = max == 0 ? DefaultResponses : max,
            Expires = nanoseconds == 0 ? DefaultTime : nanoseconds < 0 ? Timeout.InfiniteTimeSpan : ClaimObject.SpanOf(nanoseconds),
        };
    }
}
