using Broker.Client;
using Broker.Client.Streams;

namespace OrderStream;

/// <summary>Reads a stream from its first message on, in order and without acknowledgements.</summary>
public static class ReadHistory
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(server);
        using var streams = connection.Streams();

        await foreach (var message in streams.ReadOrderedAsync("SHOP"))
        {
            await output.WriteLineAsync($"{message.Sequence}: {message.Subject}");
            if (message.Pending == 0)
            {
                break;
            }
        }
    }
}
