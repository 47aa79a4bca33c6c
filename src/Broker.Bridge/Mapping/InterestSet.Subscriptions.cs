namespace Broker.Bridge;

/// <content>Subscribes and unsubscribes filters, and decides when one filter replaces another.</content>
internal sealed partial class InterestSet
{
    private readonly Dictionary<long, InterestFilter> _byId = [];
    // The filters that change at a barrier, in the order of their tokens: pending filters become active, and active
    // filters are passed to Settle.
    private readonly LinkedList<InterestFilter> _awaiting = [];
    private long _lastId;
    private long _lastToken;
    private bool _barrierDue;
    private bool _atBarrier;

    /// <summary>
    /// Handles the PONG of the barrier with this token: the server has processed all commands before it.
    /// </summary>
    public void BarrierReached<TCommands>(long token, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        _atBarrier = true;
        while (_awaiting.First is { } entry && entry.Value.Token <= token)
        {
            if (entry.Value.Phase == InterestPhase.Pending)
            {
                Activate(entry.Value, ref commands);
            }
            else
            {
                _awaiting.Remove(entry);
                Settle(entry.Value, ref commands);
            }
        }

        _atBarrier = false;
        EndCommands(ref commands);
    }

    /// <summary>Subscribes again after a new connection has replaced the old one.</summary>
    /// <remarks>
    /// Call it when the new connection accepts commands. Barriers and messages of the old connection have no effect
    /// from then on.
    /// </remarks>
    public void ConnectionReset<TCommands>(ref TCommands commands)
        where TCommands : IInterestCommands
    {
        _byId.Clear();
        _awaiting.Clear();
        foreach (InterestFilter filter in _ordered)
        {
            filter.Phase = InterestPhase.Absent;
        }

        foreach (InterestFilter filter in new List<InterestFilter>(_ordered))
        {
            ForgetIfUnused(filter);
            if (filter.Wanted > 0 && !HasWantedAbove(filter))
            {
                Subscribe(filter, ref commands);
            }
        }

        EndCommands(ref commands);
    }

    private void Want<TCommands>(ReadOnlySpan<byte> stem, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        InterestFilter filter = FindOrCreate(stem);
        if (filter.Wanted++ > 0 || HasWantedAbove(filter))
        {
            return;
        }

        if (filter.Phase == InterestPhase.Absent)
        {
            Subscribe(filter, ref commands);
        }
        else if (filter.Phase == InterestPhase.Active)
        {
            UnsubscribeBelow(filter, ref commands);
            SettleAbove(filter, ref commands);
        }
    }

    private void Unwant<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (--filter.Wanted > 0)
        {
            return;
        }

        if (!HasWantedAbove(filter))
        {
            // Subscribes to the filters that need their own subscription now, before it unsubscribes any filter above
            // them.
            List<InterestFilter> below = Below(filter);
            foreach (InterestFilter uncovered in below)
            {
                if (uncovered.Wanted == 0 || HasWantedAbove(uncovered))
                {
                    continue;
                }

                if (uncovered.Phase == InterestPhase.Absent)
                {
                    Subscribe(uncovered, ref commands);
                }
                else if (uncovered.Phase == InterestPhase.Active)
                {
                    UnsubscribeBelow(uncovered, ref commands);
                }
            }

            foreach (InterestFilter lingering in below)
            {
                Settle(lingering, ref commands);
            }
        }

        if (filter.Phase == InterestPhase.Pending)
        {
            Unsubscribe(filter, ref commands);
        }
        else
        {
            Settle(filter, ref commands);
        }

        SettleAbove(filter, ref commands);
        ForgetIfUnused(filter);
    }

    private void Subscribe<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        filter.Id = ++_lastId;
        filter.Phase = InterestPhase.Pending;
        _byId.Add(filter.Id, filter);
        AddToPendingAbove(filter, 1);
        AwaitBarrier(filter);
        Span<byte> text = stackalloc byte[TopicCodec.MaxSubjectLengthLimit];
        filter.Stem.CopyTo(text);
        ".>"u8.CopyTo(text[filter.Stem.Length..]);
        commands.Subscribe(filter.Id, text[..(filter.Stem.Length + 2)]);
    }

    private void Activate<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        StopAwaiting(filter);
        filter.Phase = InterestPhase.Active;
        filter.Topmost = !HasActiveAbove(filter);
        UnsubscribeBelow(filter, ref commands);
        filter.PendingBelow = 0;
        SettleAbove(filter, ref commands);
    }

    private void Unsubscribe<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        StopAwaiting(filter);
        bool wasActive = filter.Phase == InterestPhase.Active;
        filter.Phase = InterestPhase.Absent;
        _byId.Remove(filter.Id);
        commands.Unsubscribe(filter.Id);
        if (!wasActive || !filter.Topmost)
        {
            return;
        }

        foreach (InterestFilter below in Below(filter))
        {
            if (below.Phase == InterestPhase.Active)
            {
                below.Topmost = !HasActiveAbove(below);
            }
        }
    }

    private void UnsubscribeBelow<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        foreach (InterestFilter below in Below(filter))
        {
            if (below.Phase != InterestPhase.Absent)
            {
                Unsubscribe(below, ref commands);
            }

            ForgetIfUnused(below);
        }
    }

    // Unsubscribes an active filter that no prefix needs. The filter stays while pending filters below it are about to
    // replace it. It also stays if a broader filter is needed: that filter unsubscribes everything below it when it
    // becomes active. If filters below are already active, the change waits for a barrier, because between barriers it
    // could come between the two copies of a message.
    private void Settle<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (filter is not { Wanted: 0, PendingBelow: 0, Phase: InterestPhase.Active } || HasWantedAbove(filter))
        {
            return;
        }

        if (_atBarrier || !filter.Topmost || !HasActiveBelow(filter))
        {
            Unsubscribe(filter, ref commands);
            ForgetIfUnused(filter);
        }
        else if (filter.AwaitingEntry.List is null)
        {
            AwaitBarrier(filter);
        }
    }

    private void SettleAbove<TCommands>(InterestFilter filter, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        for (InterestFilter? above = Above(filter.Stem); above is not null; above = Above(above.Stem))
        {
            Settle(above, ref commands);
        }
    }

    private void AwaitBarrier(InterestFilter filter)
    {
        filter.Token = _lastToken + 1;
        _awaiting.AddLast(filter.AwaitingEntry);
        _barrierDue = true;
    }

    private void StopAwaiting(InterestFilter filter)
    {
        if (filter.AwaitingEntry.List is not null)
        {
            _awaiting.Remove(filter.AwaitingEntry);
        }

        if (filter.Phase == InterestPhase.Pending)
        {
            AddToPendingAbove(filter, -1);
        }
    }

    // Changes the count of pending filters in all active filters above. Each increase has its decrease: when this
    // filter stops being pending, the same filters above are still active or were removed. A filter above that becomes
    // active in between ends all subscriptions below it, so also the subscription of this filter.
    private void AddToPendingAbove(InterestFilter filter, int change)
    {
        for (InterestFilter? above = Above(filter.Stem); above is not null; above = Above(above.Stem))
        {
            if (above.Phase == InterestPhase.Active)
            {
                above.PendingBelow += change;
            }
        }
    }

    private void EndCommands<TCommands>(ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (!_barrierDue)
        {
            return;
        }

        _barrierDue = false;
        commands.Barrier(++_lastToken);
    }
}
