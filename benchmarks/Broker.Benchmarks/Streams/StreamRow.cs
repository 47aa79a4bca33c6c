using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>The same work at both servers.</summary>
/// <param name="Name">The row of the table.</param>
/// <param name="Count">The number of messages of a round.</param>
/// <param name="Prepare">Prepares a round. Its time does not count.</param>
/// <param name="Work">The work.</param>
internal sealed record StreamRow(string Name, int Count, Func<StreamsClient, int, Task> Prepare, Func<StreamsClient, int, Task> Work);
