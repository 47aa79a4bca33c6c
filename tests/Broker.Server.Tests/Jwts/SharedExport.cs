using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>An export with random claims. All exports of a world have different first tokens.</summary>
internal sealed class SharedExport
{
    internal SharedExport(Random random, string root, IReadOnlyList<JwtKey> others)
    {
        Root = root;
        IsService = random.Next(2) == 0;
        Rest = random.Next(7) switch
        {
            0 => "",
            1 => ".*",
            2 => ".>",
            3 => ".*.k",
            4 or 5 => ".*",
            _ => ".*.>",
        };
        HasPosition = Rest is ".*" or ".*.>" && random.Next(3) > 0;
        NeedsToken = !HasPosition && random.Next(3) > 0;
        Response = random.Next(3) switch { 0 => "Singleton", 1 => "Stream", _ => null };
        if (NeedsToken)
        {
            RevokedOne = random.Next(3) == 0 ? others[random.Next(others.Count)] : null;
            RevokesOld = random.Next(3) == 0;
        }
    }

    internal string Root { get; }

    internal bool IsService { get; }

    internal string Subject => Root + Rest;

    /// <summary>Whether the second token of an import must be the key of the importer.</summary>
    internal bool HasPosition { get; }

    internal bool NeedsToken { get; }

    internal bool HasWildcard => Rest.AsSpan().ContainsAny('*', '>');

    /// <summary>Whether a request may have more than one response.</summary>
    internal bool IsStream => Response == "Stream";

    private string Rest { get; }

    private string? Response { get; }

    private JwtKey? RevokedOne { get; }

    private bool RevokesOld { get; }

    internal string ToJson()
    {
        string revoked = string.Join(',', new[] { RevokedOne is null ? null : Revocation(RevokedOne.Public, SharedImport.Middle), RevokesOld ? Revocation("*", ChainAccount.Long) : null }.OfType<string>());
        return $"{{\"name\":\"{Root}\",\"subject\":\"{Subject}\",\"type\":\"{(IsService ? "service" : "stream")}\""
            + (NeedsToken ? ",\"token_req\":true" : "")
            + (HasPosition ? ",\"account_token_position\":2" : "")
            + (IsService && Response is not null ? $",\"response_type\":\"{Response}\"" : "")
            + (revoked.Length > 0 ? $",\"revocations\":{{{revoked}}}" : "")
            + "}";
    }

    /// <summary>The revocations that matter for an activation, each with whether it lets the import pass.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Revocations(JwtKey importer, long issued)
    {
        if (RevokedOne is not null)
        {
            yield return ("revocations of an export", RevokedOne != importer || issued > SharedImport.Middle);
        }

        if (RevokesOld)
        {
            yield return ("revocations of all of an export", issued > ChainAccount.Long);
        }
    }

    private static string Revocation(string key, long time) => string.Create(CultureInfo.InvariantCulture, $"\"{key}\":{time}");
}
