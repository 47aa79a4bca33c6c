namespace Broker.Client.Streams;

/// <summary>Notices when a watch has returned everything that was stored when it began.</summary>
internal struct InitialSet
{
    private ulong _expected;
    private ulong _received;
    private bool _isComplete;

    /// <summary>Returns true once: after the item that completes the set.</summary>
    internal bool CompletesWith(in PushedItem item)
    {
        if (_isComplete)
        {
            return false;
        }

        switch (item.Kind)
        {
            case PushedKind.Started:
                _expected = item.Pending;
                _received = 0;
                _isComplete = item.Pending == 0;
                break;
            case PushedKind.Message:
                // While others write, the number of pending messages may never be zero.
                _received++;
                _isComplete = item.Pending == 0 || _received >= _expected;
                break;
            default:
                // A stored revision may vanish by its age, and then fewer come than were announced.
                _isComplete = true;
                break;
        }

        return _isComplete;
    }
}
