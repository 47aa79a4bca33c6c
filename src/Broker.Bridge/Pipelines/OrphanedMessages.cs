using System.Diagnostics.CodeAnalysis;

namespace Broker.Bridge;

/// <summary>
/// The unacknowledged messages of lost egresses, until links to other egresses have capacity for them. Used on the
/// ingress's loop.
/// </summary>
/// <param name="keepOrder">Whether all messages of one link must go to one other link.</param>
/// <param name="choose">Returns a link that has capacity for a message of this size; null if there is none.</param>
internal sealed class OrphanedMessages(bool keepOrder, Func<int, IngressLink?> choose)
{
    private readonly LinkedList<(IngressLink From, PipelineQueue Messages, long PerhapsTaken)> _orphans = [];

    internal bool IsEmpty => _orphans.Count == 0;

    /// <summary>Returns the link that now receives the messages of this link.</summary>
    internal static IngressLink? ResolveSuccessor(IngressLink? link)
    {
        while (link is { IsClosed: true })
        {
            link = link.Successor;
        }

        return link;
    }

    /// <summary>
    /// Adds the messages of a lost link before all others: the link may have taken over orphaned messages, which are
    /// older.
    /// </summary>
    /// <param name="link">The link.</param>
    /// <param name="perhapsTaken">How many of the first messages the lost egress may have passed to PUSH.</param>
    internal void AddFirst(IngressLink link, long perhapsTaken) => _orphans.AddFirst((link, link.Queue, perhapsTaken));

    /// <summary>
    /// Moves the first message to another link. Returns false if no link has capacity or no message is left.
    /// </summary>
    internal bool TryMoveNext([NotNullWhen(true)] out IngressLink? to, out bool perhapsTaken)
    {
        to = null;
        perhapsTaken = false;
        while (_orphans.First is { } node)
        {
            (IngressLink from, PipelineQueue messages, long left) = node.Value;
            if (!messages.IsEmpty)
            {
                ReadOnlySpan<byte> body = messages.Peek(out MessageShape shape);
                to = FindLink(from, body.Length);
                if (to is null)
                {
                    return false;
                }

                perhapsTaken = left > 0;
                to.Queue.Add(body, shape with { Moved = shape.Moved || perhapsTaken });
                messages.RemoveFirst();
                node.Value = (from, messages, left - 1);
            }

            if (messages.IsEmpty)
            {
                _orphans.RemoveFirst();
            }

            if (to is not null)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Returns whether orphaned messages must be sent before a new message for this link (null for any link). This is
    /// the case if orphaned messages go to the same link, because the new message could overtake messages of its own
    /// pusher. It is also the case while orphaned messages have no link yet, because the new message would use the
    /// capacity that they wait for.
    /// </summary>
    internal bool MustPrecede(IngressLink? link)
    {
        foreach ((IngressLink from, _, _) in _orphans)
        {
            if (ResolveSuccessor(from.Successor) is not { } to || to == link)
            {
                return true;
            }
        }

        return false;
    }

    internal void Clear()
    {
        foreach ((_, PipelineQueue messages, _) in _orphans)
        {
            messages.Clear();
        }

        _orphans.Clear();
    }

    private IngressLink? FindLink(IngressLink from, int size)
    {
        if (!keepOrder)
        {
            return choose(size);
        }

        // All messages of one lost link go to one other link, its successor. Orphaned messages that the lost link had
        // taken over go to the same successor.
        IngressLink? to = ResolveSuccessor(from.Successor);
        from.Successor = to ??= choose(size);
        return to is not null && to.HasCredit(size) ? to : null;
    }
}
