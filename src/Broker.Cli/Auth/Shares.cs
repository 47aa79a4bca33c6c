using System.Text;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Protocol;

namespace Broker.Cli.Auth;

/// <summary>Finds exports and imports in the claims of an account, and checks their subjects.</summary>
internal static class Shares
{
    public const string Exports = "exports";
    public const string Imports = "imports";
    public const string Stream = "stream";
    public const string Service = "service";

    private const string Everything = ">";
    private const string AnyToken = "*";

    public static IEnumerable<JsonObject> Of(Token account, string list) => (account.Nats[list] as JsonArray ?? []).OfType<JsonObject>();

    public static string SubjectOf(JsonObject share) => Token.TextOf(share, "subject") ?? "";

    public static bool IsService(JsonObject share) => Token.TextOf(share, "type") == Service;

    /// <summary>Describes an export or import for a text: <c>stream plant.></c>.</summary>
    public static string Describe(JsonObject share) => $"{Token.TextOf(share, "type")} {SubjectOf(share)}";

    /// <summary>Adds an export or an import to the claims of an account.</summary>
    /// <exception cref="AuthException">The limits of the account do not allow it.</exception>
    public static void Add(JsonObject claims, string list, JsonObject share)
    {
        JsonObject nats = Token.Inner(claims, "nats");
        if (nats[list] is not JsonArray all)
        {
            nats[list] = all = [];
        }

        all.Add((JsonNode)share);
        Check(claims, list);
    }

    /// <summary>Checks the limits of an account.</summary>
    /// <exception cref="AuthException">The account has more exports, imports or wildcards than its limits allow.</exception>
    public static void Check(JsonObject claims, string list)
    {
        JsonObject nats = Token.Inner(claims, "nats");
        JsonObject limits = Token.Inner(nats, "limits");
        JsonArray all = nats[list] as JsonArray ?? [];
        long most = Token.NumberOf(limits, list);
        string account = Token.TextOf(claims, "name") ?? "";
        if (most >= 0 && all.Count > most)
        {
            throw new AuthException($"account {account} may have {most} {list}; 'broker auth edit account --{list} NUMBER' changes it");
        }

        if (list == Exports && !Token.IsTrue(limits, "wildcards") && all.OfType<JsonObject>().Any(e => HasWildcard(SubjectOf(e))))
        {
            throw new AuthException($"account {account} may not export subjects with wildcards; 'broker auth edit account --wildcard-exports true' changes it");
        }
    }

    /// <summary>Removes an export or an import from the claims of an account.</summary>
    public static void Remove(JsonObject claims, string list, JsonObject share)
    {
        JsonObject nats = Token.Inner(claims, "nats");
        var all = (JsonArray)nats[list]!;
        all.Remove(share);
        if (all.Count == 0)
        {
            nats.Remove(list);
        }
    }

    /// <summary>Finds the only export or import with these properties in claims that can be changed.</summary>
    /// <param name="claims">The claims of the account.</param>
    /// <param name="list">The list.</param>
    /// <param name="subject">The subject of the exporter.</param>
    /// <param name="type">The type; null for any.</param>
    /// <param name="from">The key of the exporter of an import; null for any.</param>
    /// <exception cref="AuthException">There is none, or there are several.</exception>
    public static JsonObject Find(JsonObject claims, string list, string subject, string? type, string? from = null)
    {
        JsonObject[] all = [.. (Token.Inner(claims, "nats")[list] as JsonArray ?? []).OfType<JsonObject>()];
        JsonObject[] found =
        [
            .. all.Where(s => SubjectOf(s) == subject && (type is null || Token.TextOf(s, "type") == type) && (from is null || Token.TextOf(s, "account") == from)),
        ];
        string account = $"account {Token.TextOf(claims, "name")}";
        return found switch
        {
            [var one] => one,
            [] => throw new AuthException(all.Length == 0 ? $"{account} has no {list}" : $"{account} has no such entry in its {list}; it has {string.Join(", ", all.Select(Describe))}"),
            _ => throw new AuthException($"{account} has several {list} of {subject}: --type{(list == Imports ? " or --from" : "")} names one"),
        };
    }

    /// <exception cref="UsageException">The text is no subject.</exception>
    public static string CheckSubject(string subject, string what)
        => Subject.IsValidFilter(Encoding.UTF8.GetBytes(subject)) ? subject : throw new UsageException($"{what} must be a subject such as plant.>, not \"{subject}\"");

    public static bool HasWildcard(string subject) => Subject.HasWildcard(Encoding.UTF8.GetBytes(subject));

    /// <summary>The wildcards of a subject in their order, to compare two subjects.</summary>
    public static string WildcardsOf(string subject) => string.Concat(subject.Split('.').Where(static t => t is AnyToken or Everything));

    /// <summary>Whether a subject with wildcards contains all subjects of another.</summary>
    public static bool Covers(string pattern, string subject)
    {
        string[] ours = pattern.Split('.');
        string[] theirs = subject.Split('.');
        for (int i = 0; i < ours.Length; i++)
        {
            if (ours[i] == Everything)
            {
                return theirs.Length > i;
            }

            if (i >= theirs.Length || theirs[i] == Everything || (ours[i] != AnyToken && ours[i] != theirs[i]))
            {
                return false;
            }
        }

        return ours.Length == theirs.Length;
    }
}
