using System.Diagnostics;
using System.Globalization;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Honest;
using Broker.HostileRun.Reporting;
using Broker.HostileRun.Site;

namespace Broker.HostileRun;

/// <summary>Runs honest traffic through the built broker, first alone and then beside attackers.</summary>
internal sealed class MixedRun(RunSettings settings, TextWriter progress)
{
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);

    private readonly RunOutcome _outcome = new();
    private readonly List<IHonestTraffic> _honest = [];

    public async Task<RunOutcome> RunAsync(CancellationToken cancellationToken)
    {
        using var files = new SiteFiles();
        try
        {
            using BrokerProcess broker = await BrokerProcess.StartAsync(files, settings, cancellationToken);
            try
            {
                await StartHonestAsync(files.Endpoints);
                await MeasureAsync(files, broker, cancellationToken);
            }
            finally
            {
                foreach (IHonestTraffic traffic in _honest)
                {
                    await traffic.DisposeAsync();
                }
            }
        }
        catch (RunException e)
        {
            _outcome.Ended = e.Message;
        }

        return _outcome;
    }

    private async Task StartHonestAsync(Endpoints endpoints)
    {
        _honest.Add(await NumberedPair.StartAsync(endpoints.Nats));
        _honest.Add(await RequestPair.StartAsync(endpoints.Nats));
        _honest.Add(new PipelinePair(endpoints));
        _honest.Add(new Bystander(endpoints.Nats));
        _honest.Add(new HealthProbe(endpoints.Monitoring));
    }

    private async Task MeasureAsync(SiteFiles files, BrokerProcess broker, CancellationToken cancellationToken)
    {
        await Task.Delay(settings.WarmUp, cancellationToken);
        progress.WriteLine(string.Create(CultureInfo.InvariantCulture, $"honest traffic alone for {settings.Alone.TotalSeconds:0} s"));
        Enter(Phase.Alone);
        await Task.Delay(settings.Alone, cancellationToken);
        broker.ThrowIfEnded();

        progress.WriteLine(string.Create(CultureInfo.InvariantCulture, $"beside attackers for {settings.Duration.TotalSeconds:0} s"));
        Enter(Phase.Attacked);
        using var attackers = new AttackersProcess(files, settings.Kinds, settings.Priority);
        var watch = Stopwatch.StartNew();
        ProcessorTimes[] times = [broker.Times, Honest()];
        long[] before = [.. _honest.Select(traffic => traffic.Sent)];
        await ObserveAsync(broker, attackers, watch, cancellationToken);
        long[] after = [.. _honest.Select(traffic => traffic.Sent)];
        double seconds = watch.Elapsed.TotalSeconds;
        _outcome.Attacked = watch.Elapsed;
        _outcome.Broker = broker.Times - times[0];
        _outcome.HonestClients = Honest() - times[1];
        _outcome.Attackers = ProcessorTimes.Read(attackers.Process);
        Enter(Phase.Ending);
        await attackers.EndAsync();
        _outcome.Attacks = attackers.Counts;
        _outcome.Load = File.Exists("/proc/loadavg") ? File.ReadAllText("/proc/loadavg").Trim() : "unknown";

        progress.WriteLine("what is on its way arrives");
        for (int i = 0; i < _honest.Count; i++)
        {
            HonestCounts counts = await _honest[i].EndAsync();
            _outcome.Honest.Add(HonestResult.Of(_honest[i], counts, (after[i] - before[i]) / seconds));
        }

        broker.ThrowIfEnded();
    }

    private async Task ObserveAsync(BrokerProcess broker, AttackersProcess attackers, Stopwatch watch, CancellationToken cancellationToken)
    {
        var minute = new List<long>();
        for (int ended = 0; watch.Elapsed < settings.Duration || (WantsMore(attackers) && watch.Elapsed < settings.Duration + settings.MaxExtraTime);)
        {
            await Task.Delay(Look, cancellationToken);
            broker.ThrowIfEnded();
            attackers.ThrowIfEnded();
            long resident = broker.ResidentBytes;
            _outcome.MostResident = Math.Max(_outcome.MostResident, resident);
            minute.Add(resident);
            if ((int)watch.Elapsed.TotalMinutes > ended)
            {
                ended++;
                _outcome.Minutes.Add(MedianOfSecondHalf(minute));
                minute.Clear();
                progress.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"minute {ended}: {_outcome.Minutes[^1] / 1e6:0} MB resident, {attackers.Counts.Values.Sum():N0} attacks, {_honest[0].Sent:N0} honest messages"));
            }
        }
    }

    // The honest clients are threads of this process.
    private static ProcessorTimes Honest()
    {
        using var process = Process.GetCurrentProcess();
        return ProcessorTimes.Read(process);
    }

    private bool WantsMore(AttackersProcess attackers)
    {
        IReadOnlyDictionary<string, long> counts = attackers.Counts;
        return settings.Kinds.Any(kind => counts.GetValueOrDefault(kind.Name) <= settings.LeastAttacks);
    }

    private static long MedianOfSecondHalf(List<long> samples)
    {
        long[] half = [.. samples.Skip(samples.Count / 2).Order()];
        return half[half.Length / 2];
    }

    private void Enter(Phase phase) => _honest.ForEach(traffic => traffic.Times.Enter(phase));
}
