using System.Text;

namespace Broker.Server;

/// <summary>Checks the answer of an auth callout service: a JWT that contains the JWT of a user, or an error.</summary>
/// <param name="options">The options of the callout.</param>
/// <param name="server">The server.</param>
/// <param name="operators">
/// The accounts of operators, whose keys then sign; null for a server without operators.
/// </param>
internal sealed class CalloutAnswer(AuthCalloutOptions options, CalloutServer server, Func<OperatorMode?>? operators)
{
    private const int MaxError = 128;

    private static ReadOnlySpan<byte> JwtBegin => "eyJ"u8;

    /// <summary>Returns the principal that the service has chosen, or why the client is refused.</summary>
    /// <param name="body">The body of the answer.</param>
    /// <param name="user">The public key that the JWT of the user must be for. It is new for each request, so that no
    /// old answer is valid.</param>
    /// <param name="question">What the service was told.</param>
    internal Verdict Check(byte[] body, string user, CalloutQuestion question)
    {
        if (body.Length == 0)
        {
            return Refused("it is empty");
        }

        if (options.CurveKey is { } sender && !body.AsSpan().StartsWith(JwtBegin))
        {
            if (!server.Keys.TryOpen(body, sender, out byte[]? opened))
            {
                return Refused("it cannot be decrypted with the key of the service");
            }

            body = opened;
        }

        if (!Jwt.TryRead(Encoding.UTF8.GetString(body), JwtKind.AuthorizationResponse, server.Verifier, out Jwt? answer, out string? reason))
        {
            return Refused(reason);
        }

        try
        {
            return WhyNotFor(answer, user) is { } why ? Refused(why)
                : answer.Nats.Text("error") is { Length: > 0 } error ? new Verdict(null, null, $"the auth callout service says: {QuotedText.Of(Encoding.UTF8.GetBytes(error.Length > MaxError ? error[..MaxError] : error))}")
                : answer.Nats.Text("jwt") is { Length: > 0 } jwt ? CheckUser(jwt, user, question)
                : Refused("it has neither \"nats.jwt\" nor \"nats.error\"");
        }
        catch (JwtException e)
        {
            return Refused(e.Message);
        }
    }

    private static Verdict Refused(string why) => new(null, null, $"the answer of the auth callout service is refused: {why}");

    private string? WhyNotFor(Jwt answer, string user)
        => !IsIssuer(answer.Issuer) ? "\"iss\" is not the issuer of the auth callout"
            : !string.Equals(answer.Subject, user, StringComparison.Ordinal) ? "\"sub\" is not the user of the request"
            : !string.Equals(answer.Audience, server.Keys.PublicKey, StringComparison.Ordinal) ? "\"aud\" is not this server"
            : answer.WhyNotNow(Now);

    private bool IsIssuer(string key)
        => operators is null ? string.Equals(key, options.Issuer, StringComparison.Ordinal) : operators()?.IsKeyOf(options.Account, key) == true;

    private long Now => server.Time.GetUtcNow().ToUnixTimeSeconds();

    private Verdict CheckUser(string text, string user, CalloutQuestion question)
    {
        if (!Jwt.TryRead(text, JwtKind.User, server.Verifier, out Jwt? jwt, out string? reason))
        {
            return RefusedUser(reason);
        }

        try
        {
            return operators is not null ? CheckUserOfAccount(jwt, user, question)
                : WhyNot(jwt, user) is { } why ? RefusedUser(why)
                : Admit(new UserClaims(jwt, isAnswered: true), question);
        }
        catch (Exception e) when (e is JwtException or ArgumentException)
        {
            return RefusedUser(e.Message);
        }
    }

    // The account of the user, and not "aud", says where the client is.
    private Verdict CheckUserOfAccount(Jwt jwt, string user, CalloutQuestion question)
    {
        Verdict verdict = !string.Equals(jwt.Subject, user, StringComparison.Ordinal) ? new Verdict(null, null, "\"sub\" is not the user of the request")
            : operators!() is { } tokens ? tokens.CheckAnswered(jwt, options.Account, question.Credentials.User, question.From, question.Transport)
            : new Verdict(null, null, "the server has no operators any more");
        return verdict.Reason is { } why ? RefusedUser(why) with { Wait = verdict.Wait } : verdict;
    }

    private static Verdict RefusedUser(string why) => new(null, null, $"the JWT of the auth callout service is refused: {why}");

    private string? WhyNot(Jwt jwt, string user)
        => !string.Equals(jwt.Issuer, options.Issuer, StringComparison.Ordinal) ? "\"iss\" is not the issuer of the auth callout"
            : !string.Equals(jwt.Subject, user, StringComparison.Ordinal) ? "\"sub\" is not the user of the request"
            : jwt.Nats.Has("issuer_account") && jwt.Nats.Text("issuer_account") is { Length: > 0 } ? "\"nats.issuer_account\" must be empty"
            : string.IsNullOrEmpty(jwt.Audience) ? "\"aud\" is not an account"
            : options.AllowedAccounts.Count > 0 && !options.AllowedAccounts.Contains(jwt.Audience, StringComparer.Ordinal) ? "\"aud\" is not an allowed account"
            : jwt.WhyNotNow(Now);

    private Verdict Admit(UserClaims user, CalloutQuestion question)
    {
        UserTerms terms = user.Terms;
        if (terms.WhyNotFrom(question.From, question.Transport) is { } place)
        {
            return RefusedUser(place);
        }

        if (!terms.TryFindEnd(server.Time.GetUtcNow(), out DateTimeOffset end))
        {
            return RefusedUser("it may not be connected at this time of day");
        }

        DateTimeOffset expires = user.Jwt.Expires >= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? DateTimeOffset.MaxValue
            : DateTimeOffset.FromUnixTimeSeconds(user.Jwt.Expires);
        string? name = user.Jwt.Name.Length > 0 ? user.Jwt.Name : question.Credentials.User;
        return new Verdict(new Principal(PrincipalKind.Callout, name, terms.Permissions.Compile() ?? question.DefaultAccess)
        {
            Account = user.Jwt.Audience!,
            Grant = new UserGrant(user, question.From, question.Transport)
            {
                // As in nats-server, a service need not write limits.
                Subscriptions = terms.Subscriptions,
                Payload = terms.Payload,
                Ends = expires < end ? expires : end,
                EndText = "User Authentication Expired",
            },
        });
    }
}
