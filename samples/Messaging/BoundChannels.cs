using System.Threading.Channels;
using Broker.Client;

namespace Messaging;

/// <summary>Sends the values of one .NET channel to another one over a subject.</summary>
public static class BoundChannels
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        var numbers = new EncodedConnection(nats, TextEncoder.Instance);

        var received = Channel.CreateBounded<int>(16);
        await using var binding = numbers.BindReceive("numbers", received.Writer);

        var sent = Channel.CreateUnbounded<int>();
        var sending = numbers.BindSendAsync("numbers", sent.Reader);
        for (int i = 1; i <= 100; i++)
        {
            sent.Writer.TryWrite(i);
        }

        sent.Writer.Complete();
        await sending;

        // This ends the subscription after all messages on their way have arrived. Then the channel is completed.
        await binding.Subscription.DrainAsync();
        int sum = 0;
        await foreach (var number in received.Reader.ReadAllAsync())
        {
            sum += number;
        }

        await output.WriteLineAsync(FormattableString.Invariant($"the sum is {sum}"));
    }
}
