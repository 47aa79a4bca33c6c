using System.Globalization;
using System.Text.Json;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>Debian's Prometheus, which scrapes programs every second and evaluates the alert rules that ship.</summary>
internal sealed class PrometheusServer : IAsyncDisposable
{
    private readonly PeerProcess _process;
    private readonly DirectoryInfo _folder;
    private readonly HttpClient _http;

    private PrometheusServer(PeerProcess process, DirectoryInfo folder, HttpClient http)
    {
        _process = process;
        _folder = folder;
        _http = http;
    }

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    /// <summary>Starts a Prometheus. If it is not installed, the test is skipped, and fails in CI.</summary>
    /// <param name="jobs">The name of each job and the address of its program.</param>
    internal static async Task<PrometheusServer> StartAsync(params (string Job, string Address)[] jobs)
    {
        string program = Programs.Require("prometheus");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("prometheus-");
        string file = Path.Combine(folder.FullName, "prometheus.yml");
        await File.WriteAllTextAsync(
            file,
            $"""
            global: {"{"} scrape_interval: 1s, evaluation_interval: 1s {"}"}
            rule_files: ["{Path.Combine(Repository.Root, "eng", "prometheus", "broker.rules.yml")}"]
            scrape_configs:
            {string.Join('\n', jobs.Select(static job => $"- job_name: {job.Job}\n  static_configs: [{{ targets: [\"{job.Address}\"] }}]"))}
            """,
            Ended);
        string address = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{FreePort.Next()}");
        var process = PeerProcess.Start(
            "prometheus", program, $"--config.file={file}", $"--storage.tsdb.path={Path.Combine(folder.FullName, "data")}",
            $"--web.listen-address={address}", "--log.level=error");
        var server = new PrometheusServer(process, folder, new HttpClient { BaseAddress = new Uri($"http://{address}") });
        await Wait.UntilAsync(server.IsReadyAsync, () => $"Prometheus is not ready: {process.Errors}");
        return server;
    }

    /// <summary>The labels of each series that a query finds now.</summary>
    internal async Task<IReadOnlyList<IReadOnlyDictionary<string, string>>> QueryAsync(string expression)
    {
        using JsonDocument answer = await GetAsync($"/api/v1/query?query={Uri.EscapeDataString(expression)}");
        return
        [
            .. answer.RootElement.GetProperty("data").GetProperty("result").EnumerateArray().Select(static series =>
                series.GetProperty("metric").EnumerateObject().ToDictionary(static label => label.Name, static label => label.Value.GetString()!)),
        ];
    }

    /// <summary>The values of a label in the series of a selector.</summary>
    internal async Task<IReadOnlyList<string>> LabelValuesAsync(string selector, string label)
    {
        using JsonDocument answer = await GetAsync($"/api/v1/label/{label}/values?match[]={Uri.EscapeDataString(selector)}");
        return [.. answer.RootElement.GetProperty("data").EnumerateArray().Select(static value => value.GetString()!)];
    }

    /// <summary>The name and the state of each alert rule: <c>ok</c> after it was evaluated without an error.</summary>
    internal async Task<IReadOnlyDictionary<string, string>> RulesAsync()
    {
        using JsonDocument answer = await GetAsync("/api/v1/rules");
        return answer.RootElement.GetProperty("data").GetProperty("groups").EnumerateArray()
            .SelectMany(static group => group.GetProperty("rules").EnumerateArray())
            .ToDictionary(static rule => rule.GetProperty("name").GetString()!, static rule => rule.GetProperty("health").GetString()!);
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _process.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    private async Task<JsonDocument> GetAsync(string path)
    {
        using HttpResponseMessage response = await _http.GetAsync(path, Ended);
        string text = await response.Content.ReadAsStringAsync(Ended);
        Assert.True(response.IsSuccessStatusCode, $"{path}: {text}");
        return JsonDocument.Parse(text);
    }

    private async Task<bool> IsReadyAsync()
    {
        if (_process.HasExited)
        {
            throw _process.Failure("ended");
        }

        try
        {
            using HttpResponseMessage response = await _http.GetAsync("/-/ready", Ended);
            return response.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
