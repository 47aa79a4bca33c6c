using System.Globalization;

namespace Broker.Client;

/// <summary>
/// An operation that the server has refused, read from its error: <c>Permissions Violation for Subscription to "a"</c>.
/// </summary>
/// <param name="Kind">The refused operation.</param>
/// <param name="Subject">The subject or the filter.</param>
/// <param name="Queue">The queue group of a subscription. Null for none.</param>
/// <param name="Sid">The id in an error about a subscription that the server had accepted before. Null if the error has
/// no id.</param>
internal readonly record struct PermissionViolation(ViolationKind Kind, string Subject, string? Queue, ulong? Sid)
{
    private const string Start = "Permissions Violation for ";

    private static readonly (string Text, ViolationKind Kind)[] Kinds =
    [
        ("Subscription to ", ViolationKind.Subscribe),
        ("Publish with Reply of ", ViolationKind.ReplySubject),
        ("Publish to ", ViolationKind.Publish),
    ];

    /// <summary>Returns null if the text is another error.</summary>
    internal static PermissionViolation? Parse(string error)
    {
        if (!error.StartsWith(Start, StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        foreach ((string text, ViolationKind kind) in Kinds)
        {
            int at = Start.Length;
            if (string.Compare(error, at, text, 0, text.Length, StringComparison.OrdinalIgnoreCase) == 0
                && Quoted(error, at + text.Length, "") is { } subject)
            {
                at += text.Length;
                ulong? sid = ulong.TryParse(Quoted(error, at, "(sid "), NumberStyles.None, CultureInfo.InvariantCulture, out ulong number) ? number : null;
                return new PermissionViolation(kind, subject, Quoted(error, at, " using queue "), sid);
            }
        }

        return null;
    }

    // Returns the text between quotes after a word.
    private static string? Quoted(string text, int from, string word)
    {
        int begin = text.IndexOf(word + '"', from, StringComparison.Ordinal);
        int end = begin < 0 ? -1 : text.IndexOf('"', begin + word.Length + 1);
        return end < 0 ? null : text[(begin + word.Length + 1)..end];
    }
}
