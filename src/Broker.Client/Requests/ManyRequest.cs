using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Headers;

namespace Broker.Client.Requests;

/// <summary>A request for many replies. The replies wait in a queue of their own until they are read.</summary>
internal sealed class ManyRequest : PendingReply
{
    private const int NoResponders = 503;

    private readonly Requester _owner;
    private readonly RequestManyOptions _options;
    private readonly long _end;
    private int _answers;

    internal ManyRequest(Requester owner, RequestManyOptions options)
    {
        _owner = owner;
        _options = options;
        _end = Deadline = Requester.DeadlineIn(options.Deadline);
        Answers = new MessageQueue(new QueueOptions { MaxBytes = options.MaxBytes, WhenFull = FullQueuePolicy.End, MaxMessages = int.MaxValue });
    }

    /// <summary>The replies that have arrived, in order. The queue ends after the last one.</summary>
    internal MessageQueue Answers { get; }

    internal override void Take(in MessageView answer, long number, RequestTable table)
    {
        if (_answers == 0 && answer.Body.IsEmpty && HeaderBlock.Status(answer.Headers) == NoResponders)
        {
            End(table, new NoRespondersException(Subject));
            return;
        }

        if (_options.Sentinel is { } sentinel && sentinel(in answer))
        {
            End(table, null);
            return;
        }

        _answers++;
        if (Answers.Put(in answer) == MessageQueue.Outcome.Overrun)
        {
            End(table, new SlowConsumerException(Subject, _options.MaxBytes));
            return;
        }

        if (_answers == _options.MaxAnswers)
        {
            End(table, null);
        }
        else if (_options.Silence is { } silence)
        {
            _owner.SetDeadline(this, Math.Min(_end, Requester.DeadlineIn(silence)));
        }
    }

    /// <summary>Ends the request at its deadline. The replies that have arrived are all there are.</summary>
    internal override void TimeOut()
    {
        _owner.NoteGivenUp();
        Answers.End(null);
    }

    internal override void Fail(Exception reason) => Answers.End(reason);

    private void End(RequestTable table, Exception? reason)
    {
        if (table.TryTake(this, Number))
        {
            Answers.End(reason);
        }
    }
}
