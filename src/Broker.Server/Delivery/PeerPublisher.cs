namespace Broker.Server;

/// <summary>
/// Publishes the messages of a peer server, which names the queue groups that receive them. It is used on the loop of
/// its publisher only.
/// </summary>
/// <param name="publisher">The publisher that delivers.</param>
internal readonly struct PeerPublisher(RoutingPublisher publisher)
{
    /// <summary>
    /// Publishes a message to all subscriptions without a queue group and to one member of each named queue group.
    /// Subject mappings apply.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="queueGroups">The names of the queue groups, with spaces between them.</param>
    /// <param name="seenSubject">The subject that subscribers see; empty for the message's subject.</param>
    /// <returns>The number of subscribers that received the message.</returns>
    internal int Publish(in RoutedMessage message, ReadOnlySpan<byte> queueGroups, ReadOnlySpan<byte> seenSubject)
    {
        publisher.EndBatch();
        publisher.State.PeerGroups.BeginMessage(queueGroups, publisher.State);
        if (!seenSubject.IsEmpty)
        {
            return DeliverTo(message.WithSubject(seenSubject), publisher.Router.Find(message.Subject), queueGroups);
        }

        if (publisher.Router.Mappings is null || publisher.Router.FindMapping(message.Subject) is not { } mapping)
        {
            return DeliverTo(in message, publisher.Router.Find(message.Subject), queueGroups);
        }

        SubjectBuffer mapped = publisher.TakeMappedSubject();
        return mapping.TryMap(message.Subject, mapped)
            ? DeliverTo(message.WithSubject(mapped.Written), publisher.Router.Find(mapped.Written), queueGroups)
            : 0;
    }

    private int DeliverTo(in RoutedMessage message, Route route, ReadOnlySpan<byte> queueGroups)
    {
        int delivered = DeliverToPlain(in message, route);

        foreach (RenamedDelivery renamed in route.RenamedDeliveries)
        {
            delivered += publisher.TryDeliver(renamed.Subscription, renamed.Route, message.WithSubject(renamed.Route.Subject)) ? 1 : 0;
        }

        if (route.LateSubscribers is { } late)
        {
            foreach (Subscription subscription in late.PlainSubscriptions.Items)
            {
                delivered += publisher.TryDeliver(subscription, route, in message) ? 1 : 0;
            }
        }

        if (!queueGroups.IsEmpty)
        {
            delivered += DeliverToNamed(queueGroups, route, in message);
        }

        publisher.State.PayloadOut += (long)delivered * message.Payload.Length;
        return delivered;
    }

    private int DeliverToPlain(in RoutedMessage message, Route route)
    {
        Subscription[] plain = route.PlainSubscriptions;
        bool isForMany = RoutingPublisher.IsForMany(in message, plain.Length);
        int delivered = 0;
        int end = plain.Length;
        // Other peers come last in the route. They must not wait for a later share, because their queue groups are
        // found for one message at a time.
        while (end != 0 && (!isForMany || plain[end - 1] is RemoteDelivery))
        {
            delivered += publisher.TryDeliver(plain[--end], route, in message) ? 1 : 0;
        }

        return end == 0 ? delivered : delivered + publisher.DeliverToPlain(in message, route, end);
    }

    private int DeliverToNamed(ReadOnlySpan<byte> queueGroups, Route route, in RoutedMessage message)
    {
        int delivered = 0;
        foreach (QueueGroup group in route.QueueGroups)
        {
            delivered += Names(queueGroups, group.Name) && publisher.DeliverToOne(group, route, in message) ? 1 : 0;
        }

        foreach (QueueGroup group in route.LateSubscribers is { } late ? late.QueueGroups.Items : default)
        {
            delivered += Names(queueGroups, group.Name) && publisher.DeliverToOne(group, route, in message) ? 1 : 0;
        }

        return delivered;
    }

    private static bool Names(ReadOnlySpan<byte> queueGroups, ReadOnlySpan<byte> name)
    {
        foreach (Range word in queueGroups.Split((byte)' '))
        {
            if (queueGroups[word].SequenceEqual(name))
            {
                return true;
            }
        }

        return false;
    }
}
