using System.Buffers;

namespace Broker.Server;

/// <summary>
/// Forwards requests from the account that imports a service to the account that exports the service. The replies are
/// forwarded back to the reply subject of the request.
/// </summary>
internal sealed class ServiceImportTarget(Account importer, Account exporter, ImportLink link) : DeliveryTarget
{
    private readonly long _lifetime =
        (long)Math.Ceiling(((ServiceExport)link.Export).ResponseTimeout.TotalMilliseconds);

    private readonly bool _shares = link.Import is ServiceImport { Share: true };

    internal override bool IsInternal => true;

    internal Account Exporter => exporter;

    /// <summary>Creates the subscription for the importer's router.</summary>
    internal Subscription Subscribe() => new(this, link.Mapping.Local, null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        ReadOnlySpan<byte> subject = exporter.Router.Map(link.Mapping.ToRemote(message.Subject));
        return !subject.IsEmpty
            && exporter.Router.Find(subject) is { IsEmpty: false } there
            && Request(subject, there, in message, publisher);
    }

    private bool Request(ReadOnlySpan<byte> subject, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        Span<byte> reply = stackalloc byte[message.ReplyTo.IsEmpty ? 0 : ForwardedRequests.SubjectLength];
        if (!reply.IsEmpty)
        {
            ServiceResponse response = ((ServiceExport)link.Export).Response;
            importer.Requests.Add(exporter, message.ReplyTo, response, _lifetime, publisher.Loop.LastTick, reply);
            importer.OnRequestPending(importer);
        }

        SharedClientInfo shared = _shares && publisher.Client is { } client ? client.Owner.SharedInfo : SharedClientInfo.None;
        int most = RequestInfo.MaxBytes(importer, publisher) + shared.Length + message.Payload.Length;
        byte[] rented = ArrayPool<byte>.Shared.Rent(most);
        int headers = RequestInfo.Write(rented, importer, publisher, shared, in message, out int length);
        int delivered = publisher.Import(new RoutedMessage(subject, reply, headers, rented.AsSpan(0, length)), route);
        ArrayPool<byte>.Shared.Return(rented);
        if (delivered == 0 && !reply.IsEmpty)
        {
            importer.Requests.Remove(reply);
        }

        return delivered != 0;
    }
}
