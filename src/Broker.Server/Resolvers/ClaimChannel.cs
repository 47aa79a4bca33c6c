using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Takes part in the system account for a resolver with a directory. It receives requests about the JWTs of accounts,
/// and asks other servers. Servers that are linked in the system account receive these requests too, so one update
/// reaches them all. Thread-safe.
/// </summary>
internal sealed class ClaimChannel : IMessageTargetHandler, IDisposable
{
    private const string UpdateSubject = "$SYS.REQ.CLAIMS.UPDATE";
    private const string PackSubject = "$SYS.REQ.CLAIMS.PACK";

    // Servers of all makes are in this group: one of them answers.
    private const string PackGroup = "responder";

    private const int MaxRequestBytes = 600 * 1024;
    private const int TokenLength = 32;

    private readonly ServerCore _core;
    private readonly ClaimRequests _requests;
    private readonly SystemJson _json;

    // Updates are written to a disk, so other system requests do not wait for them.
    private readonly RequestQueue _queue = new();
    private readonly ConcurrentDictionary<string, TaskCompletionSource<string?>> _lookups = new(StringComparer.Ordinal);
    private readonly string _inbox = "_INBOX." + RandomNumberGenerator.GetHexString(TokenLength);
    private readonly Lock _gate = new();
    private MessageTarget? _target;
    private TargetSubscription? _pack;
    private bool _isDisposed;

    internal ClaimChannel(ServerCore core, ClaimRequests requests, SystemJson json)
    {
        _core = core;
        _requests = requests;
        _json = json;
    }

    /// <summary>Begins to receive requests in the system account, in place of an earlier system account.</summary>
    internal void Attach(Account system)
    {
        lock (_gate)
        {
            _target?.Dispose();
            if (_isDisposed)
            {
                return;
            }

            _target = _core.OpenTarget(system, this);
            string[] filters =
            [
                UpdateSubject, "$SYS.REQ.ACCOUNT.*.CLAIMS.UPDATE", "$SYS.ACCOUNT.*.CLAIMS.UPDATE", "$SYS.REQ.CLAIMS.LIST", "$SYS.REQ.CLAIMS.DELETE",
                _inbox + ".*",
                .. _requests.HoldsAll ? (ReadOnlySpan<string>)["$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP"] : [],
            ];
            Array.ForEach(filters, filter => _target.Subscribe(filter));
            _pack = _requests.HoldsAll ? _target.Subscribe(PackSubject, PackGroup) : null;
        }
    }

    /// <summary>Asks another server for the accounts that this one does not have. It answers to a subject.</summary>
    /// <param name="hash">The hash of the accounts of this server.</param>
    /// <param name="replyTo">The subject.</param>
    internal void AskForAll(byte[] hash, string replyTo)
    {
        MessageTarget? target;
        lock (_gate)
        {
            target = _target;
        }

        target?.Loop.TryPost(() =>
        {
            lock (_gate)
            {
                if (_isDisposed || target != _target)
                {
                    return;
                }

                // While this server is in the group, a message for the group does not go to another server.
                _pack?.Dispose();
                target.Publish(Encoding.ASCII.GetBytes(PackSubject), hash, Encoding.ASCII.GetBytes(replyTo));
                _pack = target.Subscribe(PackSubject, PackGroup);
            }
        });
    }

    /// <summary>Asks the other servers for the JWT of an account; null if none has it.</summary>
    /// <exception cref="OperationCanceledException">No server has sent a JWT in time.</exception>
    internal async Task<string?> LookUpAsync(string account, CancellationToken cancellationToken)
    {
        string token = RandomNumberGenerator.GetHexString(TokenLength);
        var answer = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _lookups[token] = answer;
        try
        {
            Publish($"$SYS.REQ.ACCOUNT.{account}.CLAIMS.LOOKUP", [], Encoding.ASCII.GetBytes($"{_inbox}.{token}"), receivers =>
            {
                if (receivers == 0)
                {
                    answer.TrySetResult(null);
                }
            });
            return await answer.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _lookups.TryRemove(token, out _);
        }
    }

    /// <inheritdoc/>
    public void OnMessages(MessageBatch batch)
    {
        foreach (DeliveredMessage message in batch)
        {
            string subject = Encoding.UTF8.GetString(message.Subject);
            string[] tokens = subject.Split((char)Subject.Separator);
            if (subject.StartsWith(_inbox, StringComparison.Ordinal))
            {
                // A server that does not know the account answers with nothing. Another server may know it.
                if (message.Body.Length is > 0 and <= Jwt.MaxLength && _lookups.TryGetValue(tokens[^1], out TaskCompletionSource<string?>? lookup))
                {
                    lookup.TrySetResult(Encoding.ASCII.GetString(message.Body));
                }

                continue;
            }

            Queue(tokens, in message);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _target?.Dispose();
        }
    }

    private void Queue(string[] tokens, in DeliveredMessage message)
    {
        byte[] replyTo = message.ReplyTo.ToArray();
        if (message.Body.Length > MaxRequestBytes)
        {
            Reply(replyTo, _json.PageError($"the request is longer than {MaxRequestBytes} bytes"));
            return;
        }

        // The subject of a request that names an account has at least five tokens, such as
        // $SYS.ACCOUNT.A.CLAIMS.UPDATE.
        var request = new ClaimRequest(tokens[^1], tokens.Length > 4 ? tokens[^3] : null, message.Body.ToArray());
        if (!_queue.TryAdd(() => _requests.AnswerAsync(request, answer => Reply(replyTo, answer))))
        {
            Reply(replyTo, _json.PageError("too many requests wait"));
        }
    }

    private void Reply(byte[] replyTo, byte[] answer)
    {
        if (Subject.IsValidLiteral(replyTo))
        {
            Publish(Encoding.UTF8.GetString(replyTo), answer, [], static _ => { });
        }
    }

    private void Publish(string subject, byte[] body, byte[] replyTo, Action<int> published)
    {
        MessageTarget? target;
        lock (_gate)
        {
            target = _isDisposed ? null : _target;
        }

        if (target?.Loop.TryPost(() => published(target.Publish(Encoding.UTF8.GetBytes(subject), body, replyTo))) != true)
        {
            published(0);
        }
    }
}
