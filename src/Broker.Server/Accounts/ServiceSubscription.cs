using Broker.Server.Sessions;

namespace Broker.Server.Accounts;

/// <summary>Where requests leave the account that imports a service, for the one that exports it.</summary>
internal sealed class ServiceSubscription(Account importer, Account exporter, ImportLink link) : Crossing(link.Mapping.Local)
{
    private readonly long _lifetime = (long)Math.Ceiling(((ServiceExport)link.Export).ResponseTimeout.TotalMilliseconds);

    internal Account Exporter => exporter;

    internal override int Deliver(ClientSession publisher, in Message message)
        => link.Mapping.ToRemote(message.Subject) is { } subject
            ? publisher.Request(importer, exporter, subject, ((ServiceExport)link.Export).Response, _lifetime, in message)
            : 0;
}
