using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Broker.Benchmarks.NatsNet.Clients;

namespace Broker.LoadTest.Clients;

/// <summary>
/// Runs this program as a client of one library, for <see cref="ClientProcess"/>. Each line of its input is a task; the
/// program ends with its input.
/// </summary>
internal static class ClientProcessCommand
{
    public const string Name = "client";
    public const string Library = "--library";
    public const string Port = "--port";

    /// <summary>
    /// The line that the program writes when it is connected, and when messages may be published to it.
    /// </summary>
    public const string Ready = "ready";

    /// <summary>The names of the libraries.</summary>
    public static IReadOnlyList<string> Libraries { get; } = [Ours, NatsNet];

    /// <summary>This project's client.</summary>
    public const string Ours = "Broker.Client";

    /// <summary>The opponent.</summary>
    public const string NatsNet = "NATS.Net";

    // Much longer than any row takes. A client that waits for so long has lost a message.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    public static Command Create()
    {
        var library = new Option<string>(Library) { Required = true };
        library.AcceptOnlyFromAmong([.. Libraries]);
        var port = new Option<int>(Port) { Required = true };
        var command = new Command(Name, "Runs a client that does the tasks of its standard input.") { library, port };
        command.Hidden = true;
        command.SetAction(async (result, cancellationToken) =>
        {
            string url = string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{result.GetRequiredValue(port)}");
            await using IPlainClient client = result.GetRequiredValue(library) == Ours
                ? await BrokerPlainClient.ConnectAsync(url)
                : await NatsNetPlainClient.ConnectAsync(url);
            Write(Ready);
            while (await Console.In.ReadLineAsync(cancellationToken) is { } line)
            {
                await DoAsync(client, line.Split(' '));
            }
        });
        return command;
    }

    private static async Task DoAsync(IPlainClient client, string[] task)
    {
        ClientWork work = Enum.Parse<ClientWork>(task[0]);
        int count = int.Parse(task[1], CultureInfo.InvariantCulture);
        int together = int.Parse(task[2], CultureInfo.InvariantCulture);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        long started = Stopwatch.GetTimestamp();
        void Publish()
        {
            started = Stopwatch.GetTimestamp();
            Write(Ready);
        }

        Task done = work switch
        {
            ClientWork.Publish => client.PublishAsync(count),
            ClientWork.Receive => client.ReceiveAsync(count, Publish),
            ClientWork.Read => client.ReadAsync(count, Publish),
            ClientWork.Request => client.RequestAsync(count, together),
            _ => throw new InvalidOperationException($"There is no work '{work}'."),
        };
        await done.WaitAsync(Limit);
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        Write(string.Create(CultureInfo.InvariantCulture, $"{seconds:R} {allocated}"));
    }

    private static void Write(string line)
    {
        Console.Out.WriteLine(line);
        Console.Out.Flush();
    }
}
