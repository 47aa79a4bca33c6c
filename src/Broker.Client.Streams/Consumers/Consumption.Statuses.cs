using System.Globalization;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>Reacts to the statuses by which the server ends requests for messages.</summary>
internal sealed partial class Consumption
{
    private const int IdleHeartbeat = 100;
    private const int BadRequest = 400;
    private const int NotFound = 404;
    private const int Expired = 408;
    private const int Conflict = 409;
    private const int NoResponders = 503;

    // Called under the lock.
    private void ReceiveStatus(PullSlot slot, in MessageView view)
    {
        if (slot == _last)
        {
            _lastAnswer.TrySetResult();
            return;
        }

        int status = view.Headers.IsEmpty ? 0 : HeaderBlock.Status(view.Headers);
        if (status == IdleHeartbeat)
        {
            NoteSign();
            return;
        }

        if (slot.Messages == 0)
        {
            return;
        }

        string text = StatusLine.Text(view.Headers);
        if (Has(text, "Batch Completed"))
        {
            // This follows the last message of a request, so the slot has the next request already.
            return;
        }

        bool served = slot.IsServed;
        _window.Close(slot);
        _free.Push(slot);
        if (!_isEnding)
        {
            EndRequest(status, text, served);
        }
    }

    // Called under the lock.
    private void EndRequest(int status, string text, bool served)
    {
        if (FailureOf(status, text, served) is { } failure)
        {
            EndUnderGate(failure);
        }
        else if (status == NoResponders)
        {
            // While the server is connected, nobody listens for requests of this consumer: it is gone, or its server is
            // starting.
            Pause(BusyPause);
            CheckConsumer();
        }
        else if (_plan.Once)
        {
            EndUnderGate(null);
        }
        else
        {
            if (status is not (NotFound or Expired) && !served)
            {
                // For example a change of the leader, or too many requests: not again at once.
                Pause(BusyPause);
            }

            Pull();
        }
    }

    // Returns null if the request can be repeated.
    private StreamException? FailureOf(int status, string text, bool served)
    {
        if (status == BadRequest)
        {
            return Refusal(status, text, "Check the options of the call.");
        }

        if (status != Conflict)
        {
            return null;
        }

        if (Has(text, "Consumer Deleted"))
        {
            return new ConsumerGoneException(_consumer.Stream, _consumer.Name, deleted: true);
        }

        if (Has(text, "Consumer is push based"))
        {
            return Refusal(status, text, "Messages of a consumer with a DeliverSubject cannot be requested.");
        }

        if (Has(text, "Exceeded MaxRequest"))
        {
            return Refusal(status, text, "The consumer's MaxBatch, MaxExpires or MaxBytes permits less than the options of the call.");
        }

        return Has(text, "Message Size Exceeds MaxBytes") && !served && !_plan.Once
            ? Refusal(
                status, text,
                string.Create(CultureInfo.InvariantCulture, $"The next message is larger than the {_window.BatchBytes:N0} bytes of one request (ConsumeOptions.MaxBytes)."))
            : null;
    }

    private static bool Has(string text, string part) => text.Contains(part, StringComparison.OrdinalIgnoreCase);

    private StreamException Refusal(int status, string text, string remedy)
        => new($"The request for messages (stream '{_consumer.Stream}', consumer '{_consumer.Name}') was refused: {text} (status {status}). {remedy}");
}
