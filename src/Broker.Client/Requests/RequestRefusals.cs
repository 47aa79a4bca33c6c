using System.Text;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Ends the pending requests that the current server has refused, or whose replies it does not deliver. Remembers
/// whether the server delivers replies at all.
/// </summary>
/// <param name="loop">The loop of the connection.</param>
/// <param name="table">The pending requests.</param>
/// <param name="prefix">The prefix of the reply subjects, with a dot at the end.</param>
internal sealed class RequestRefusals(EventLoop loop, RequestTable table, string prefix)
{
    // The error with which the server has refused the subscription to the inbox; null if it has not refused.
    private volatile string? _ofInbox;

    // The subjects to which the server has refused requests, until the loop ends the requests to them. Used on the
    // loop.
    private HashSet<string>? _subjects;

    /// <summary>Ends the requests that an error of the server concerns. Called on the loop.</summary>
    internal void Refuse(PermissionViolation violation, string text)
    {
        switch (violation.Kind)
        {
            case ViolationKind.Subscribe when string.Equals(violation.Subject, prefix + "*", StringComparison.Ordinal):
                _ofInbox = text;
                foreach (AwaitedRequest request in table.TakeAll())
                {
                    request.Fail(ServerErrorException.For(text));
                }

                break;
            case ViolationKind.ReplySubject when violation.Subject.StartsWith(prefix, StringComparison.Ordinal)
                && RequestToken.TryRead(Encoding.UTF8.GetBytes(violation.Subject[prefix.Length..]), out _, out long number):
                table.TryFail(number, ServerErrorException.For(text));
                break;
            case ViolationKind.Publish when table.Pending != 0:
                // One search handles all errors of an iteration, because a search looks at each pending request.
                if (_subjects is null)
                {
                    _subjects = [];
                    loop.Post(FailRefusedSubjects);
                }

                _subjects.Add(violation.Subject);
                break;
            default:
                break;
        }
    }

    /// <summary>Throws the error of the server if it has refused the inbox: no request can then get a reply.</summary>
    /// <exception cref="ServerErrorException">The server has refused the inbox.</exception>
    internal void ThrowIfInboxIsRefused()
    {
        if (_ofInbox is { } text)
        {
            throw ServerErrorException.For(text);
        }
    }

    /// <summary>
    /// Forgets that an earlier server has refused the inbox, because a new server has its own permissions. Called
    /// before the new server receives the subscriptions.
    /// </summary>
    internal void ForgetInbox() => _ofInbox = null;

    // Called on the loop.
    private void FailRefusedSubjects()
    {
        HashSet<string> subjects = _subjects!;
        _subjects = null;
        foreach (AwaitedRequest request in table.TakeWhere(r => subjects.Contains(r.Subject)))
        {
            request.Fail(ServerErrorException.For($"Permissions Violation for Publish to \"{request.Subject}\""));
        }
    }
}
