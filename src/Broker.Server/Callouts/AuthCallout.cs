using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Sends requests to an auth callout service and waits for its answers. It takes part in the service's account as a
/// target, so no client can receive the answers in its place.
/// </summary>
internal sealed class AuthCallout : IAuthCallout, IMessageTargetHandler
{
    private const string InboxPrefix = "_INBOX.";
    private const int TokenLength = 32;
    private const int KeyBytes = 32;
    private const int MaxAnswers = 8 * 1024 * 1024;

    private static readonly byte[] Subject = "$SYS.REQ.USER.AUTH"u8.ToArray();

    // Key: the last token of the reply subject. A token is random, so that only a service with the request can answer.
    private readonly ConcurrentDictionary<string, TaskCompletionSource<byte[]?>> _waiting = new(StringComparer.Ordinal);
    private readonly CalloutServer _server;
    private readonly CalloutAnswer _answer;
    private readonly string _inbox = InboxPrefix + RandomNumberGenerator.GetHexString(TokenLength);
    private readonly Lock _gate = new();
    private MessageTarget? _target;
    private bool _isDisposed;

    /// <param name="options">The options.</param>
    /// <param name="server">The server.</param>
    /// <param name="operators">The accounts of operators; null for a server without operators.</param>
    internal AuthCallout(AuthCalloutOptions options, CalloutServer server, Func<OperatorMode?>? operators = null)
    {
        Options = options;
        _server = server;
        _answer = new CalloutAnswer(options, server, operators);
    }

    internal AuthCalloutOptions Options { get; }

    /// <inheritdoc/>
    public async Task<Verdict> AskAsync(CalloutQuestion question)
    {
        string user = PublicKey.Encode(KeyKind.User, RandomNumberGenerator.GetBytes(KeyBytes));
        string token = RandomNumberGenerator.GetHexString(TokenLength);
        byte[] request = CalloutRequest.Create(Options, _server, user, question);
        int headers = 0;
        if (Options.CurveKey is { } receiver)
        {
            byte[] header = Encoding.ASCII.GetBytes($"NATS/1.0\r\n{CalloutRequest.KeyHeader}: {_server.Keys.CurveKey}\r\n\r\n");
            request = [.. header, .. _server.Keys.Seal(request, receiver)];
            headers = header.Length;
        }

        var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting[token] = answer;
        try
        {
            Send(token, request, headers, answer);
            byte[]? body = await answer.Task.WaitAsync(question.Timeout, _server.Time).ConfigureAwait(false);
            if (body is null)
            {
                return new Verdict(null, null, "no auth callout service is connected");
            }

            Verdict verdict = _answer.Check(body, user, question);
            if (verdict.Wait is not { } begin || !begin(out Task wait))
            {
                return verdict with { Wait = null };
            }

            // The account of the user must be found first.
            await wait.WaitAsync(question.Timeout, _server.Time).ConfigureAwait(false);
            return _answer.Check(body, user, question) with { Wait = null };
        }
        catch (TimeoutException)
        {
            return new Verdict(null, null, "the auth callout service has not answered in time");
        }
        finally
        {
            _waiting.TryRemove(token, out _);
        }
    }

    /// <inheritdoc/>
    public void OnMessages(MessageBatch batch)
    {
        foreach (DeliveredMessage message in batch)
        {
            // A consumer of a stream may deliver here, and its messages keep the subject of the stream.
            if (message.Subject.Length <= _inbox.Length)
            {
                continue;
            }

            string token = Encoding.UTF8.GetString(message.Subject[(_inbox.Length + 1)..]);

            // The first answer counts; a later one for the same request is ignored.
            if (_waiting.TryRemove(token, out TaskCompletionSource<byte[]?>? answer))
            {
                answer.TrySetResult(message.Body.ToArray());
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _target?.Dispose();
        }

        foreach (TaskCompletionSource<byte[]?> answer in _waiting.Values)
        {
            answer.TrySetResult(null);
        }
    }

    private void Send(string token, byte[] request, int headers, TaskCompletionSource<byte[]?> answer)
    {
        MessageTarget target;
        lock (_gate)
        {
            if (_isDisposed)
            {
                answer.TrySetResult(null);
                return;
            }

            if (_target is null)
            {
                _target = _server.Open(Options.Account, this);
                _target.Subscribe(_inbox + ".*");
            }

            target = _target;
        }

        byte[] reply = Encoding.ASCII.GetBytes($"{_inbox}.{token}");
        target.Loop.Post(() =>
        {
            if (target.Publish(Subject, request, reply, headers) == 0)
            {
                answer.TrySetResult(null);
            }
        });
    }

    /// <summary>The most bytes of answers that wait to be read.</summary>
    internal static int MaxPendingBytes => MaxAnswers;
}
