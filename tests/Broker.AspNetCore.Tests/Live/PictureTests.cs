using System.Text.Json.Nodes;
using Broker.AspNetCore.Tests.Harness;
using Broker.TestKit.Browsers;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>Makes the pictures of the live page in the docs. Not part of the test run.</summary>
public sealed class PictureTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact(Explicit = true)]
    public async Task Write_the_pictures_of_the_live_page_into_BROKER_PICTURES()
    {
        string folder = Environment.GetEnvironmentVariable("BROKER_PICTURES")
            ?? throw new InvalidOperationException("BROKER_PICTURES is not set to a folder.");
        await using Site site = await Site.StartAsync(static o =>
        {
            o.ServerName = "orders";
            o.SampleSubjects = 10;
        });
        LineClient[] clients =
        [
            .. ((string[])["shop", "stock", "billing", "dashboard"])
                .Select(name => site.Connect($"{{\"verbose\":false,\"name\":\"{name}\",\"lang\":\"test\"}}", name == "shop" ? "" : "SUB orders.> 1\r\n")),
        ];
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        Task publishing = PublishAsync(clients[0], stop.Token);
        Task[] reading = [.. clients[1..].Select(client => Task.Run(() => ReadAll(client), Ended))];
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await Task.Delay(TimeSpan.FromSeconds(45), Ended);
        await SaveAsync(page, 1400, 760, Path.Combine(folder, "live.png"));
        await SaveAsync(page, 400, 900, Path.Combine(folder, "live-narrow.png"));
        string id = (await site.GetAsync("connz?sort=msgs_from")).GetProperty("connections")[0].GetProperty("cid").ToString();
        await page.ReadAsync($"location.hash = '#client={id}'");
        await SaveAsync(page, 1400, 760, Path.Combine(folder, "live-connection.png"));
        await stop.CancelAsync();
        await publishing;
        Array.ForEach(clients, static client => client.Dispose());
        await Task.WhenAll(reading);
    }

    private static async Task SaveAsync(DevTools page, int width, int height, string file)
    {
        await page.ResizeAsync(width, height);
        await Task.Delay(TimeSpan.FromSeconds(2), Ended);
        string data = (await page.SendAsync("Page.captureScreenshot", new JsonObject { ["format"] = "png" })).GetProperty("data").GetString()!;
        await File.WriteAllBytesAsync(file, Convert.FromBase64String(data), Ended);
    }

    private static Task PublishAsync(LineClient client, CancellationToken stop) => Task.Run(
        async () =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                int messages = 200 + (int)(150 * Math.Sin(i / 40.0));
                client.Send(string.Concat(Enumerable.Repeat("PUB orders.new 64\r\n" + new string('x', 64) + "\r\n", messages)));
                await Task.Delay(100, CancellationToken.None);
            }
        },
        CancellationToken.None);

    private static void ReadAll(LineClient client)
    {
        try
        {
            while (client.ReadLine().Length > 0)
            {
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The client was disposed.
        }
    }
}
