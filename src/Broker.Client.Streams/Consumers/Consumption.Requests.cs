using System.Text;

namespace Broker.Client.Streams;

/// <summary>Sends requests for messages.</summary>
internal sealed partial class Consumption
{
    // The server serves open requests in turn, so a few are nearly served while the last one is new.
    private const int MaxSlots = 16;

    private readonly List<PullSlot> _slots = [];
    private readonly Stack<PullSlot> _free = new();

    // Called under the lock.
    private void Pull()
    {
        while (!_isEnding && !_isAway && !_isPaused && _window.HasRoom && !(_plan.Once && _pulls > 0)
            && (_free.Count > 0 || _slots.Count < MaxSlots))
        {
            PullSlot slot = _free.Count > 0 ? _free.Pop() : AddSlot();
            if (_connection.PublishWithStatus(_next, _window.IsAnyOpen ? _request : _firstRequest, slot.Inbox) != PublishStatus.Accepted)
            {
                _free.Push(slot);
                Pause(BusyPause);
                return;
            }

            _pulls++;
            _counters.Pull();
            _window.Open(slot);
        }
    }

    // Called under the lock.
    private void PullAgain()
    {
        if (_plan.Once)
        {
            _pulls = 0;
        }

        Pull();
    }

    // Called under the lock.
    private PullSlot AddSlot()
    {
        string inbox = BrokerConnection.NewInbox(_connection.InboxPrefix);
        var slot = new PullSlot(this, Encoding.UTF8.GetBytes(inbox));
        slot.Subscription = _connection.Subscribe(inbox, slot.Receive);
        _slots.Add(slot);
        return slot;
    }

    /// <summary>
    /// Gives up all requests and their reply subjects: a server that lost the connection only for a moment, or was
    /// silent, may serve them nevertheless. Called under the lock.
    /// </summary>
    /// <param name="isLost">Whether no more messages can come.</param>
    private void Forget(bool isLost)
    {
        foreach (PullSlot slot in _slots)
        {
            _window.Close(slot);
            if (isLost)
            {
                slot.Subscription.Unsubscribe();
            }
            else
            {
                _ = DrainAsync(slot);
            }
        }

        _slots.Clear();
        _free.Clear();
    }

    private static async Task DrainAsync(PullSlot slot)
    {
        try
        {
            await slot.Subscription.DrainAsync(CancellationToken.None).WaitAsync(LeaveLimit).ConfigureAwait(false);
        }
        catch (Exception e) when (e is TimeoutException or ClientException or ObjectDisposedException)
        {
            // The server is silent or lost, or the connection is closed.
            slot.Subscription.Unsubscribe();
        }
    }
}
