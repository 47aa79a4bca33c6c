using System.Text.Json.Nodes;
using Broker.Cli.Tests.Starting;
using Broker.Client;
using Broker.Client.Streams;
using Broker.TestKit.Browsers;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Live;

/// <summary>
/// Makes the pictures of the live page in the docs, from a broker with real programs. Not part of the test run.
/// </summary>
public sealed class PictureTests
{
    private const string Configuration = """
        server_name: orders
        port: -1
        http: "127.0.0.1:-1"
        sample_subjects: 10
        jetstream { store_dir: "STORE" }
        zeromq {
          routes: [
            { pattern: pubsub, name: sensors, publishers: "bind tcp://127.0.0.1:5556", subscribers: "bind tcp://127.0.0.1:5557" }
            { pattern: pushpull, name: jobs, subject: work.jobs, pushers: "bind tcp://127.0.0.1:5558", pullers: "bind tcp://127.0.0.1:5559" }
            { pattern: pushpull, name: jobs-new, subject: work.jobs, pushers: [], pullers: "bind tcp://127.0.0.1:5560", shadow: true }
          ]
        }
        """;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact(Explicit = true)]
    public async Task Write_the_pictures_of_the_live_page_into_BROKER_PICTURES()
    {
        string folder = Environment.GetEnvironmentVariable("BROKER_PICTURES")
            ?? throw new InvalidOperationException("BROKER_PICTURES is not set to a folder.");
        using var temporary = new TemporaryFolder();
        string file = temporary.Write("broker.conf", Configuration.Replace("STORE", temporary.Path.Replace('\\', '/'), StringComparison.Ordinal));
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
                Task traffic = RunProgramsAsync(addresses.Nats[0], stop.Token);
                string address = addresses.Monitoring.Single() + "/";
                await using var browser = Chromium.Open("about:blank");
                await using DevTools page = await DevTools.OpenAsync(browser, address);
                await Task.Delay(TimeSpan.FromSeconds(75), Ended);
                await SaveAsync(page, 1400, 1270, Path.Combine(folder, "live.png"));
                await SaveAsync(page, 400, 900, Path.Combine(folder, "live-narrow.png"));
                await page.PreferAsync("dark");
                await SaveAsync(page, 1400, 1270, Path.Combine(folder, "live-dark.png"));
                await page.PreferAsync("light");
                await page.ReadAsync("[...document.querySelectorAll('#rows a')].find(a => a.textContent.includes('billing')).click()");
                await SaveAsync(page, 1400, 820, Path.Combine(folder, "live-connection.png"));
                await stop.CancelAsync();
                await traffic;
            },
            "serve", "-q", "-c", file);
    }

    private static async Task SaveAsync(DevTools page, int width, int height, string file)
    {
        await page.ResizeAsync(width, height);
        await page.SendAsync("Emulation.setScrollbarsHidden", new JsonObject { ["hidden"] = true });
        await Task.Delay(TimeSpan.FromSeconds(3), Ended);
        string data = (await page.SendAsync("Page.captureScreenshot", new JsonObject { ["format"] = "png" })).GetProperty("data").GetString()!;
        await File.WriteAllBytesAsync(file, Convert.FromBase64String(data), Ended);
    }

    // The traffic rises and falls, so that the charts have a shape.
    private static async Task RunProgramsAsync(string url, CancellationToken stop)
    {
        await using BrokerConnection shop = await ConnectAsync(url, "shop");
        await using BrokerConnection billing = await ConnectAsync(url, "billing");
        await using BrokerConnection dashboard = await ConnectAsync(url, "dashboard");
        await using BrokerConnection archive = await ConnectAsync(url, "archive");
        await using var pub = new PublisherSocket();
        await using var sub = new SubscriberSocket();
        await using var push = new PushSocket();
        await using var pull = new PullSocket();
        await using var candidate = new PullSocket();
        pub.Connect("tcp://127.0.0.1:5556");
        sub.Connect("tcp://127.0.0.1:5557");
        sub.Subscribe("plant");
        push.Connect("tcp://127.0.0.1:5558");
        pull.Connect("tcp://127.0.0.1:5559");
        candidate.Connect("tcp://127.0.0.1:5560");
        billing.Subscribe("orders.>", static (in message) => { });
        dashboard.Subscribe("zmq.plant.>", static (in message) => { });
        dashboard.Subscribe("orders.new", static (in message) => { });
        StreamsClient streams = archive.Streams();
        await streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.paid"), Ended);
        await streams.CreateStreamAsync(new StreamConfig("ALARMS", "zmq.plant.alarm"), Ended);
        await streams.CreateConsumerAsync("ORDERS", new ConsumerConfig("invoices"), Ended);
        Task[] readers = [ReadAsync(sub, stop), ReadAsync(pull, stop), ReadAsync(candidate, stop)];
        try
        {
            for (int i = 0; ; i++)
            {
                double wave = 1 + (0.5 * Math.Sin(i / 70.0)) + (0.3 * Math.Sin(i / 17.0)) + (0.1 * Math.Sin(i / 3.0));
                Publish(shop, "orders.new", (int)(140 * wave), 180);
                Publish(shop, "orders.changed", (int)(60 * wave), 220);
                for (int n = 0; n < (int)(12 * wave); n++)
                {
                    await pub.SendAsync(Message("plant.line1.temperature", 64), stop);
                    await push.SendAsync(new byte[300].AsMemory(), stop);
                }

                await streams.PublishAsync("orders.paid", new byte[240], cancellationToken: stop);
                await Task.Delay(TimeSpan.FromMilliseconds(100), stop);
            }
        }
        catch (OperationCanceledException)
        {
            // The pictures are made.
        }

        await Task.WhenAll(readers);
    }

    private static ZeroMqMessage Message(string topic, int bytes)
    {
        var message = new ZeroMqMessage();
        message.Append(System.Text.Encoding.UTF8.GetBytes(topic));
        message.Append(new byte[bytes]);
        return message;
    }

    private static void Publish(BrokerConnection client, string subject, int messages, int bytes)
    {
        byte[] body = new byte[bytes];
        for (int i = 0; i < messages; i++)
        {
            client.Publish(subject, body);
        }
    }

    private static async Task<BrokerConnection> ConnectAsync(string url, string name)
        => await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], Name = name, ConnectTimeout = Wait.Limit }, Ended);

    private static Task ReadAsync<TSocket>(TSocket socket, CancellationToken stop)
        where TSocket : MessageSocket, IReceivingSocket => Task.Run(
        async () =>
        {
            var message = new ZeroMqMessage();
            try
            {
                while (true)
                {
                    await socket.ReceiveAsync(message, stop);
                }
            }
            catch (OperationCanceledException)
            {
                // The pictures are made.
            }
        },
        CancellationToken.None);
}
