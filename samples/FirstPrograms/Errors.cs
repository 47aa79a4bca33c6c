using Broker.Client;

namespace FirstPrograms;

/// <summary>Sends requests that nobody answers.</summary>
public static class Errors
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        nats.Subscribe("slow", question => { });
        try
        {
            await nats.RequestAsync("nobody", "hello");
        }
        catch (NoRespondersException)
        {
            output.WriteLine("nobody subscribes");
        }

        try
        {
            await nats.RequestAsync("slow", "hello", TimeSpan.FromSeconds(0.1));
        }
        catch (TimeoutException)
        {
            output.WriteLine("no reply in time");
        }
    }
}
