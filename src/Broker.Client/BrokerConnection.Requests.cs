using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Client.Requests;
using Broker.Client.Subscriptions;
using Broker.Protocol.Headers;

namespace Broker.Client;

// All answers come by one subscription, to <inbox>.<number>.
public sealed partial class BrokerConnection
{
    private const int NoResponders = 503;

    private readonly RequestTable _requests = new();
    private readonly string _inboxPrefix;
    private readonly byte[] _inboxPrefixBytes;
    private readonly Lock _inboxGate = new();
    private Subscription? _inbox;

    // Under the gate: whether requests may be kept that nobody waits for any more.
    private bool _requestsGivenUp;

    /// <summary>A subject that nobody else uses, for answers.</summary>
    public static string NewInbox() => NewInbox("_INBOX");

    /// <summary>Publishes a request and waits for the first answer.</summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Copied before the first wait.</param>
    /// <param name="timeout">How long to wait for the answer.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <param name="cancellationToken">Gives it up.</param>
    /// <exception cref="ArgumentException">The subject is not valid, or the headers are no block.</exception>
    /// <exception cref="NoRespondersException">Nobody subscribes to the subject.</exception>
    /// <exception cref="TimeoutException">No answer came in time.</exception>
    /// <exception cref="ConnectionLostException">There is no server, it was lost before the answer, or the connection is closed.</exception>
    /// <exception cref="PublishRefusedException">The request was not accepted.</exception>
    public async Task<ReplyMessage> RequestAsync(
        string subject, ReadOnlyMemory<byte> body, TimeSpan timeout, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        EnsureInbox();
        (long number, Task<ReplyMessage> answer) = _requests.Add();
        try
        {
            string replyTo = _inboxPrefix + number.ToString(CultureInfo.InvariantCulture);
            switch (TryPublish(subject, body.Span, replyTo, headers.Span))
            {
                case PublishStatus.Accepted:
                    break;
                case PublishStatus.Dropped or PublishStatus.NotConnected:
                    throw new ConnectionLostException("No server is connected.");
                case PublishStatus.Closed:
                    throw new ConnectionLostException("The connection is closed.");
                case var refused:
                    throw new PublishRefusedException(refused);
            }

            ReplyMessage reply = await answer.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            if (reply.Body.Length == 0 && HeaderBlock.Status(reply.Headers) == NoResponders)
            {
                throw new NoRespondersException(subject);
            }

            return reply;
        }
        finally
        {
            _requests.Remove(number);
            if (!answer.IsCompletedSuccessfully)
            {
                NoteGivenUp();
            }
        }
    }

    // A request that was kept for the next server is not sent to it when its caller has been told that it failed.
    private void NoteGivenUp()
    {
        lock (_gate)
        {
            _requestsGivenUp |= _link is null;
        }
    }

    // Under the gate.
    private void WithdrawRequests()
    {
        if (_requestsGivenUp)
        {
            _requestsGivenUp = false;
            _neverSent += _kept.Withdraw(_requests.IsWaiting);
        }
    }

    // 0 for what is no request.
    private long RequestNumber(ReadOnlySpan<byte> replyTo)
        => replyTo.StartsWith(_inboxPrefixBytes) && Utf8Parser.TryParse(replyTo[_inboxPrefixBytes.Length..], out long number, out _) ? number : 0;

    private static string NewInbox(string prefix) => $"{prefix}.{RandomNumberGenerator.GetHexString(24, lowercase: true)}";

    private static void TakeReply(in MessageView message)
    {
        BrokerConnection connection = message.Connection;
        ReadOnlySpan<byte> number = message.Subject[Math.Min(message.Subject.Length, connection._inboxPrefix.Length)..];
        if (Utf8Parser.TryParse(number, out long value, out int read) && read == number.Length
            && connection._requests.Take(value) is { } request)
        {
            request.TrySetResult(new ReplyMessage(message.Headers.ToArray(), message.Body.ToArray()));
        }
    }

    private void EnsureInbox()
    {
        if (Volatile.Read(ref _inbox) is not null)
        {
            return;
        }

        lock (_inboxGate)
        {
            _inbox ??= Subscribe(_inboxPrefix + "*", TakeReply);
        }
    }
}
