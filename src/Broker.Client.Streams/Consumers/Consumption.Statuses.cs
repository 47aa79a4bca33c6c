namespace Broker.Client.Streams;

/// <summary>Reacts to the statuses by which the server ends requests for messages.</summary>
internal sealed partial class Consumption
{
    // Called under the lock.
    private void ReceiveStatus(PullSlot slot, in MessageView view)
    {
        if (slot == _last)
        {
            _lastAnswer.TrySetResult();
            return;
        }

        int code = PullStatus.CodeOf(view.Headers);
        if (code == PullStatus.IdleHeartbeat)
        {
            NoteSign();
            return;
        }

        if (slot.Messages == 0)
        {
            return;
        }

        var status = new PullStatus(code, StatusLine.Text(view.Headers));
        if (status.IsBatchCompleted)
        {
            // This follows the last message of a request, so the slot has the next request already.
            return;
        }

        bool served = slot.IsServed;
        _requests.Close(slot);
        if (!_isEnding)
        {
            EndRequest(status, served);
        }
    }

    // Called under the lock.
    private void EndRequest(in PullStatus status, bool served)
    {
        if (status.ToFailure(_consumer, _requests.Window.BatchBytes, mustFit: !served && !_plan.Once) is { } failure)
        {
            EndUnderGate(failure);
        }
        else if (status.IsNoResponders)
        {
            // While the server is connected, nobody listens for requests of this consumer: it is gone, or its server is
            // starting.
            _requests.Pause();
            CheckConsumer();
        }
        else if (_plan.Once)
        {
            EndUnderGate(null);
        }
        else
        {
            if (!status.IsWithoutMessages && !served)
            {
                // For example a change of the leader, or too many requests: not again at once.
                _requests.Pause();
            }

            _requests.Send();
        }
    }
}
