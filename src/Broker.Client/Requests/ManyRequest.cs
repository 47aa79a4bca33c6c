using Broker.Protocol;

namespace Broker.Client;

/// <summary>A request for many replies. The replies wait in a queue of their own until they are read.</summary>
internal sealed class ManyRequest : AwaitedRequest
{
    private const int NoResponders = 503;

    private readonly Requester _owner;
    private readonly RequestManyOptions _options;
    private readonly long _end;
    private int _replies;

    internal ManyRequest(Requester owner, RequestManyOptions options)
    {
        _owner = owner;
        _options = options;
        _end = Deadline = Requester.DeadlineIn(options.Deadline);
        Replies = new SubscriptionQueue(new QueueOptions { MaxBytes = options.MaxBytes, WhenFull = FullQueuePolicy.End, MaxMessages = int.MaxValue });
    }

    /// <summary>The replies that have arrived, in order. The queue ends after the last reply.</summary>
    internal SubscriptionQueue Replies { get; }

    internal override void ReceiveReply(in MessageView reply, long number, RequestTable table)
    {
        if (_replies == 0 && reply.Body.IsEmpty && HeaderBlock.Status(reply.Headers) == NoResponders)
        {
            End(table, new NoRespondersException(Subject));
            return;
        }

        if (_options.Sentinel is { } sentinel && sentinel(in reply))
        {
            End(table, null);
            return;
        }

        _replies++;
        if (Replies.Enqueue(in reply) == EnqueueOutcome.Overrun)
        {
            End(table, new SlowConsumerException(Subject, _options.MaxBytes));
            return;
        }

        if (_replies == _options.MaxReplies)
        {
            End(table, null);
        }
        else if (_options.IdleTimeout is { } silence)
        {
            _owner.SetDeadline(this, Math.Min(_end, Requester.DeadlineIn(silence)));
        }
    }

    /// <summary>
    /// Ends the request at its deadline. The replies that have arrived until then are the complete result.
    /// </summary>
    internal override void TimeOut(bool loopIsBlocked = false)
    {
        _owner.NoteCancelled();
        Replies.End(loopIsBlocked ? Requester.TimeoutOf(Subject, loopIsBlocked) : null);
    }

    internal override void Fail(Exception reason) => Replies.End(reason);

    internal override void FailWithOthers(Exception cause) => Replies.End(ConnectionLostException.ForOneOfMany(cause));

    private void End(RequestTable table, Exception? reason)
    {
        if (table.TryTake(this, Number))
        {
            Replies.End(reason);
        }
    }
}
