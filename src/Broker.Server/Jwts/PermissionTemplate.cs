using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Fills in the permissions of a scoped signing key for one user: <c>{{name()}}</c>, <c>{{subject()}}</c>,
/// <c>{{account-name()}}</c>, <c>{{account-subject()}}</c>, <c>{{tag(x)}}</c> and <c>{{account-tag(x)}}</c>.
/// </summary>
/// <remarks>
/// A tag with several values multiplies the entry. An allowed entry without a value for its tag is left out; a denied
/// entry without one refuses the user. Unlike nats-server, a value with a wildcard or white space counts as no value:
/// the holder of a scoped key chooses names and tags, and must not widen its scope with them.
/// </remarks>
internal static class PermissionTemplate
{
    // The most entries that one entry may become by tags with several values.
    private const int MaxEntries = 1024;

    /// <exception cref="JwtException">A function is unknown, or a denied entry has no value.</exception>
    internal static JwtPermissions Apply(JwtPermissions template, UserClaims user, AccountClaims account)
        => template with { Publish = Apply(template.Publish, user, account), Subscribe = Apply(template.Subscribe, user, account) };

    private static SubjectPermissions Apply(SubjectPermissions template, UserClaims user, AccountClaims account)
        => new()
        {
            // If no allowed entry has a value, the list is empty and allows nothing.
            Allow = template.Allow is { } allow ? [.. allow.SelectMany(e => Expand(e, user, account))] : null,
            Deny = [.. template.Deny.SelectMany(e => Required(e, user, account))],
        };

    private static List<string> Required(string entry, UserClaims user, AccountClaims account)
        => Expand(entry, user, account) is { Count: > 0 } entries
            ? entries
            : throw new JwtException($"it has no value for the denied subject {QuotedText.Of(Encoding.UTF8.GetBytes(entry))} of its signing key");

    private static List<string> Expand(string entry, UserClaims user, AccountClaims account)
    {
        var entries = new List<string> { "" };
        int at = 0;
        while (entry.IndexOf("{{", at, StringComparison.Ordinal) is var start and >= 0
            && entry.IndexOf("}}", start, StringComparison.Ordinal) is var end and >= 0)
        {
            string before = entry[at..start];
            string[] values = [.. ValuesOf(entry[(start + 2)..end].Trim(), user, account).Where(IsSafe)];
            entries = [.. entries.SelectMany(e => values.Select(v => e + before + v)).Take(MaxEntries + 1)];
            if (entries.Count > MaxEntries)
            {
                throw new JwtException("its tags have too many values for the template of its signing key");
            }

            at = end + 2;
        }

        string tail = entry[at..];
        return [.. entries.Select(e => e + tail).Where(static e => Subject.IsValidFilter(Encoding.UTF8.GetBytes(e.Split(' ')[0])))];
    }

    private static IEnumerable<string> ValuesOf(string function, UserClaims user, AccountClaims account)
        => function.ToLowerInvariant() switch
        {
            "name()" => [user.Jwt.Name],
            "subject()" => [user.Jwt.Subject],
            "account-name()" => [account.Jwt.Name],
            "account-subject()" => [account.Key],
            var tag when tag.StartsWith("tag(", StringComparison.Ordinal) && tag.EndsWith(')') => ValuesOf(user.Tags, tag[4..^1]),
            var tag when tag.StartsWith("account-tag(", StringComparison.Ordinal) && tag.EndsWith(')') => ValuesOf(account.Tags, tag[12..^1]),
            _ => throw new JwtException($"the template of its signing key has an unknown function {QuotedText.Of(Encoding.UTF8.GetBytes(function))}"),
        };

    private static IEnumerable<string> ValuesOf(IReadOnlyList<string> tags, string name)
        => tags.Where(tag => tag.Length > name.Length && tag[name.Length] == ':' && tag.StartsWith(name, StringComparison.OrdinalIgnoreCase))
            .Select(tag => tag[(name.Length + 1)..]);

    private static bool IsSafe(string value) => value.Length > 0 && !value.Any(static c => c is '*' or '>' || char.IsWhiteSpace(c) || char.IsControl(c));
}
