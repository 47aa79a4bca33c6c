using Broker.Client;
using Broker.Protocol;
using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

// Handles replies from subjects and sends them to the clients.
internal sealed partial class RequestRoute
{
    private const int NobodyIsThere = 503;

    // The route publishes unanswered requests again at intervals, at most MostAtOnce at a time. A reply shows that a
    // service is there: publishing two more requests for each reply soon sends all of them if the service keeps up, and
    // does not flood the service if it does not.
    private const int MostAtOnce = 256;
    private const int MostForAnswer = 2;
    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(100);

    private readonly RetryQueue _toRetry;
    private readonly Action _retry;
    private LoopTimer? _retryTimer;
    private bool _badAnswerReported;

    private void OnAnswer(in MessageView message)
    {
        int slot = message.Subject.Length > _inbox.Length && ReplyNumber.TryRead(message.Subject[_inbox.Length..], out ulong number)
            ? _pending.Find(number)
            : -1;
        if (!message.Headers.IsEmpty && message.Body.IsEmpty && HeaderBlock.Status(message.Headers) == NobodyIsThere)
        {
            if (slot >= 0)
            {
                OnNobody(slot);
            }

            return;
        }

        _received++;
        if (slot < 0)
        {
            _late++;
            return;
        }

        if (FramedPayload.TryRead(_pending[slot].ReplyTargetSpan, message.Headers, message.Body, _options.MaxFrames, out FramedPayload answer))
        {
            Send(slot, ref answer, ref _answered);
        }
        else
        {
            _refused++;
            BridgeTracer.Fail(_pending[slot].Span, "malformed");
            if (!_badAnswerReported)
            {
                _badAnswerReported = true;
                Log.NotMapped("it is an answer whose headers or frames are malformed");
            }
        }

        Release(slot);
        if (_awaitingRetry != 0)
        {
            SendAgain(MostForAnswer);
        }
    }

    private void Send(int slot, ref FramedPayload answer, ref long counter)
    {
        if (_router.TrySend(_pending[slot].RoutingId.Span, ref answer) == RouteResult.Sent)
        {
            _sent++;
            counter++;
        }
        else
        {
            _undeliverable++;
            BridgeTracer.Fail(_pending[slot].Span, "undeliverable");
        }
    }

    private void OnNobody(int slot)
    {
        ref PendingRequest request = ref _pending[slot];
        switch (_options.NoResponders)
        {
            case NoResponders.Hold:
                if (!request.IsAwaitingRetry)
                {
                    request.IsAwaitingRetry = true;
                    _awaitingRetry++;
                    _toRetry.Add(slot);
                }

                _retryTimer ??= Loop.StartTimer(RetryInterval, _retry);
                return;

            case NoResponders.Reply:
                BridgeTracer.Fail(request.Span, "no_responders");
                var reply = FramedPayload.Single(request.ReplyTargetSpan, _options.NoRespondersReply.Span);
                Send(slot, ref reply, ref _unserved);
                break;

            default:
                BridgeTracer.Fail(request.Span, "no_responders");
                _unserved++;
                break;
        }

        Release(slot);
    }

    private void Retry()
    {
        _retryTimer = null;
        SendAgain(MostAtOnce);
        if (_toRetry.Count != 0)
        {
            _retryTimer = Loop.StartTimer(RetryInterval, _retry);
        }
    }

    private void SendAgain(int most)
    {
        Span<byte> replyTo = stackalloc byte[_inbox.Length + ReplyNumber.Length];
        for (int left = most; left > 0 && _hasServer && _toRetry.TryTake(out int slot); left--)
        {
            ref PendingRequest request = ref _pending[slot];
            WriteReplyTo(slot, replyTo);
            ReadOnlySpan<byte> kept = request.Kept.AsSpan(0, request.KeptLength);
            int headers = Math.Max(request.HeaderLength, 0);
            ReadOnlySpan<byte> subject = request.SubjectLength == 0 ? _subject : kept[..request.SubjectLength];
            kept = kept[request.SubjectLength..];
            if (Client.TryPublish(subject, kept[headers..], replyTo, kept[..headers]) != PublishStatus.Accepted)
            {
                _toRetry.Add(slot);
                return;
            }

            request.IsAwaitingRetry = false;
            _awaitingRetry--;
        }
    }

    private void Expire(int slot)
    {
        BridgeTracer.Fail(_pending[slot].Span, "timeout");
        if (_options.TimeoutReply is { } text)
        {
            var reply = FramedPayload.Single(_pending[slot].ReplyTargetSpan, text.Span);
            Send(slot, ref reply, ref _timedOut);
        }
        else
        {
            _timedOut++;
        }

        Release(slot);
    }
}
