namespace Broker.Bridge;

/// <summary>
/// The links with queued messages, in round-robin order. A link that is removed leaves the list at once. Used on one
/// loop.
/// </summary>
internal sealed class WaitingLinks
{
    private EgressLink? _last;

    /// <summary>The link whose turn it is; null if there is none.</summary>
    internal EgressLink? First => _last?.NextWaiting;

    internal void AddLast(EgressLink link)
    {
        if (_last is null)
        {
            link.NextWaiting = link.PreviousWaiting = link;
        }
        else
        {
            EgressLink first = _last.NextWaiting!;
            link.PreviousWaiting = _last;
            link.NextWaiting = first;
            _last.NextWaiting = first.PreviousWaiting = link;
        }

        _last = link;
    }

    /// <summary>Makes the first link the last one.</summary>
    internal void MoveFirstToLast() => _last = _last?.NextWaiting;

    /// <summary>Removes a link; does nothing if it is not waiting.</summary>
    internal void Remove(EgressLink link)
    {
        if (link.NextWaiting is not { } next)
        {
            return;
        }

        if (next == link)
        {
            _last = null;
        }
        else
        {
            link.PreviousWaiting!.NextWaiting = next;
            next.PreviousWaiting = link.PreviousWaiting;
            if (_last == link)
            {
                _last = link.PreviousWaiting;
            }
        }

        link.NextWaiting = link.PreviousWaiting = null;
    }
}
