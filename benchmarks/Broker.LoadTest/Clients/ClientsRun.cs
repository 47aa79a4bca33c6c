using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Clients;

/// <summary>
/// Measures client libraries at the same servers. In each round, every client does the work of a row at every server
/// once, one after another, so that other load of the machine affects all of them alike.
/// </summary>
/// <param name="rows">The rows.</param>
/// <param name="rounds">The number of counted rounds. One more comes before them, which compiles the code.</param>
/// <param name="commands">The servers.</param>
/// <param name="resources">The buffers of the driver's connections.</param>
internal sealed class ClientsRun(IReadOnlyList<ClientRow> rows, int rounds, IReadOnlyList<ServerCommand> commands, DriverResources resources)
{
    /// <exception cref="DriverException">A server or a client has failed.</exception>
    public IReadOnlyList<ClientOutcome> Run(TextWriter progress, CancellationToken cancellationToken)
    {
        using var servers = new KeptServers(resources);
        List<(ClientProcess Client, string Server)> clients = [];
        try
        {
            foreach (ServerCommand command in commands)
            {
                ServerProcess server = servers.Acquire(command);
                clients.AddRange(ClientProcessCommand.Libraries.Select(library => (ClientProcess.Start(library, new Target(server, resources.Buffers)), command.Name)));
            }

            // The end of the clients ends every wait of a measurement.
            using CancellationTokenRegistration stop = cancellationToken.Register(() => clients.ForEach(static pair => pair.Client.Dispose()));
            return [.. rows.SelectMany(row => Measure(row, clients, progress, cancellationToken))];
        }
        finally
        {
            clients.ForEach(static pair => pair.Client.Dispose());
        }
    }

    private List<ClientOutcome> Measure(
        ClientRow row, List<(ClientProcess Client, string Server)> clients, TextWriter progress, CancellationToken cancellationToken)
    {
        progress.WriteLine(row.Name);
        List<ClientOutcome> outcomes = clients.ConvertAll(pair => new ClientOutcome(pair.Server, row, pair.Client.Library));
        for (int round = 0; round <= rounds; round++)
        {
            for (int i = 0; i < clients.Count; i++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                ClientCost cost = clients[i].Client.Measure(row);
                if (round > 0)
                {
                    outcomes[i].Rounds.Add(cost);
                }
            }
        }

        return outcomes;
    }
}
