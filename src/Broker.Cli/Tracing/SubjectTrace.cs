using System.Globalization;
using System.Text;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Cli.Tracing;

/// <summary>Follows a message through the mappings and imports of the accounts to its receivers.</summary>
internal sealed class SubjectTrace(ITraceSource source, TraceReport report)
{
    private const int Whole = 100;

    private readonly HashSet<(string Account, string Subject)> _requested = [];

    public async Task<TraceReport> RunAsync(CancellationToken stop)
    {
        await PublishAsync(report.Account, report.Subject, isFirst: true, stop);
        report.Notes.AddRange(source.Unknown);
        return report;
    }

    // A message is mapped when a client publishes it, and when it reaches an account as a request of another account.
    private async Task PublishAsync(string account, string subject, bool isFirst, CancellationToken stop)
    {
        // Accounts can import from each other in a circle.
        if (!_requested.Add((account, subject)))
        {
            return;
        }

        foreach (MappingDestination destination in Map(account, subject))
        {
            if (isFirst && report.User is { } user && source.WhyNotPublish(account, user, destination.Subject) is { } reason)
            {
                report.Steps.Add($"{user} may not publish to {destination.Subject}: {reason}");
                continue;
            }

            await DeliverAsync(account, destination, stop);
            await RequestAsync(account, destination.Subject, stop);
            await ImportAsync(account, destination, stop);
        }
    }

    private IReadOnlyList<MappingDestination> Map(string account, string subject)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(subject);
        IReadOnlyList<SubjectMapping> mappings = Find(account)?.Mappings ?? [];
        SubjectMapping? mapping = mappings.FirstOrDefault(m => m.Source == subject)
            ?? mappings.FirstOrDefault(m => Subject.Matches(Encoding.UTF8.GetBytes(m.Source), bytes));
        if (mapping is null)
        {
            return [new MappingDestination(subject)];
        }

        IReadOnlyList<MappingDestination> destinations = mapping.Map(subject);
        foreach (MappingDestination destination in destinations)
        {
            report.Steps.Add($"the mapping of {mapping.Source} in account {account} gives it the subject {destination.Subject}{Of(destination.Weight)}");
        }

        int dropped = Whole - destinations.Sum(static destination => destination.Weight);
        if (dropped > 0)
        {
            report.Steps.Add(string.Create(CultureInfo.InvariantCulture, $"the mapping of {mapping.Source} in account {account} drops {dropped} % of the messages"));
        }

        return destinations;
    }

    private async Task DeliverAsync(string account, MappingDestination destination, CancellationToken stop)
    {
        foreach (TraceReceiver receiver in await source.FindReceiversAsync(account, destination.Subject, stop))
        {
            bool isPart = destination.Weight < Whole && receiver.Outcome is TraceOutcome.Yes or TraceOutcome.May;
            report.Receivers.Add(receiver with
            {
                Account = account,
                Subject = destination.Subject,
                Outcome = isPart ? TraceOutcome.Part : receiver.Outcome,
                Why = receiver.Why + Of(destination.Weight),
            });
        }
    }

    private async Task RequestAsync(string account, string subject, CancellationToken stop)
    {
        foreach (ServiceImport import in (Find(account)?.Imports ?? []).OfType<ServiceImport>())
        {
            if (import.ToRemote(subject) is { } remote)
            {
                report.Steps.Add($"account {account} imports the service {import.Subject}: account {import.Account} gets the request as {remote}");
                await PublishAsync(import.Account, remote, isFirst: false, stop);
            }
        }
    }

    private async Task ImportAsync(string account, MappingDestination destination, CancellationToken stop)
    {
        foreach (TracedAccount importer in source.Accounts)
        {
            foreach (StreamImport import in importer.Imports.OfType<StreamImport>().Where(import => import.Account == account))
            {
                if (import.ToLocal(destination.Subject) is { } local)
                {
                    report.Steps.Add($"account {importer.Name} imports the stream {import.Subject} of account {account}: it gets the message as {local}");
                    await DeliverAsync(importer.Name, destination with { Subject = local }, stop);
                }
            }
        }
    }

    private TracedAccount? Find(string account) => source.Accounts.FirstOrDefault(known => known.Name == account);

    private static string Of(int weight)
        => weight == Whole ? "" : string.Create(CultureInfo.InvariantCulture, $", for {weight} % of the messages");
}
