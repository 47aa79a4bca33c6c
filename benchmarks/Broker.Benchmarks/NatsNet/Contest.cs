namespace Broker.Benchmarks.NatsNet;

/// <summary>The same work with both clients.</summary>
/// <param name="Name">The row of the table.</param>
/// <param name="Count">The number of messages of a round.</param>
/// <param name="Prepare">Prepares a round of either client. Its time does not count.</param>
/// <param name="Ours">The work with this client.</param>
/// <param name="Theirs">The work with NATS.Net.</param>
internal sealed record Contest(string Name, int Count, Func<int, Task> Prepare, Func<int, Task> Ours, Func<int, Task> Theirs)
{
    internal static Task Nothing(int _) => Task.CompletedTask;
}
