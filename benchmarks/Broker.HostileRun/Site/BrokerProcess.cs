using System.Diagnostics;
using System.Globalization;

namespace Broker.HostileRun.Site;

/// <summary>The broker under attack: the built command, started as a user starts it.</summary>
internal sealed class BrokerProcess : ChildProcess
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    private readonly SiteFiles _files;

    private BrokerProcess(SiteFiles files, string program, IReadOnlyDictionary<string, string> variables)
        : base(program, ["serve", "-q", "-c", files.ConfigurationFile], variables) => _files = files;

    /// <summary>The resident memory of the process in bytes.</summary>
    public long ResidentBytes
    {
        get
        {
            Process.Refresh();
            return Process.WorkingSet64;
        }
    }

    public ProcessorTimes Times => ProcessorTimes.Read(Process);

    /// <summary>Starts the broker and waits until it serves.</summary>
    public static async Task<BrokerProcess> StartAsync(SiteFiles files, RunSettings settings, CancellationToken cancellationToken)
    {
        var variables = new Dictionary<string, string>();
        if (settings.HeapLimit is { } bytes)
        {
            variables["DOTNET_GCHeapHardLimit"] = bytes.ToString("x", CultureInfo.InvariantCulture);
        }

        var broker = new BrokerProcess(files, settings.Program ?? "broker.dll", variables);
        try
        {
            using var http = new HttpClient();
            var page = new Uri($"http://127.0.0.1:{files.Endpoints.Monitoring}/healthz");
            var waited = Stopwatch.StartNew();
            while (!await AnswersAsync(http, page, cancellationToken))
            {
                broker.ThrowIfEnded();
                if (waited.Elapsed > StartLimit)
                {
                    throw new RunException($"The broker did not start. {broker.LastLines}");
                }

                await Task.Delay(Pause, cancellationToken);
            }

            return broker;
        }
        catch
        {
            broker.Dispose();
            throw;
        }
    }

    public void ThrowIfEnded()
    {
        if (Process.HasExited)
        {
            string log = File.Exists(_files.LogFile) ? string.Join(" | ", File.ReadLines(_files.LogFile).TakeLast(5)) : "";
            throw new RunException($"The broker has ended with code {Process.ExitCode}. {LastLines} Its log ends with: {log}");
        }
    }

    private static async Task<bool> AnswersAsync(HttpClient http, Uri page, CancellationToken cancellationToken)
    {
        try
        {
            using HttpResponseMessage response = await http.GetAsync(page, cancellationToken);
            return response.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
