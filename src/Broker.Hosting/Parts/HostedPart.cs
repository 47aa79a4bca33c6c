namespace Broker.Hosting;

/// <summary>A part that starts and stops with the host.</summary>
/// <param name="Kind">The kind of the part, which decides when it starts and stops.</param>
/// <param name="Resolve">Resolves the part from the services. The first call starts it.</param>
/// <param name="Name">The part's name among parts of its kind.</param>
internal sealed record HostedPart(HostedPartKind Kind, Func<IServiceProvider, object> Resolve, string Name = "default");
