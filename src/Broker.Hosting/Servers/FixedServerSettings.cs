using System.Net;

namespace Broker.Hosting;

/// <summary>The settings of a server that cannot change while it runs.</summary>
/// <param name="EndPoints">The addresses to listen on.</param>
/// <param name="Loops">The number of event loops.</param>
/// <param name="Streams">The settings of the streams as a text; null without streams.</param>
internal sealed record FixedServerSettings(IReadOnlyList<EndPoint> EndPoints, int Loops, string? Streams);
