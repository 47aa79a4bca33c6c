namespace Broker.Hosting;

/// <summary>Something that starts and stops with the host.</summary>
/// <param name="Kind">When.</param>
/// <param name="Resolve">Gets it, and thereby starts it if nobody has asked for it yet.</param>
/// <param name="Name">Tells it from others of its kind.</param>
internal sealed record HostedPart(HostedPartKind Kind, Func<IServiceProvider, object> Resolve, string Name = "default");
