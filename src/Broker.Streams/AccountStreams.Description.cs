using Broker.Server;

namespace Broker.Streams;

// Descriptions for monitoring.
internal sealed partial class AccountStreams
{
    /// <summary>The number of requests to the API.</summary>
    internal long Requests => (long)_responder.Requests;

    /// <summary>The number of requests that were refused.</summary>
    internal long Errors => (long)_responder.Errors;

    /// <summary>The counts over all consumers.</summary>
    internal ConsumerCounters Consumers => _host.Counters;

    /// <summary>Adds the account to sums and to a list of problems. Called on any thread.</summary>
    internal void Add(string account, ref StoreTotals file, ref StoreTotals memory, List<string> problems)
    {
        Add(account, _stores.Disk, _streams.ReservedFile, ref file, problems);
        if (_stores.Memory is { } store)
        {
            Add(account, store, _streams.ReservedMemory, ref memory, problems);
        }
    }

    /// <summary>Describes the account. Called on any thread; the loop of the account does the work.</summary>
    internal Task<AccountStreamsDescription> DescribeAsync(string account, StreamsQuery query)
    {
        var done = new TaskCompletionSource<AccountStreamsDescription>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isPosted = _input.Loop.TryPost(() =>
        {
            try
            {
                done.SetResult(_api.Describe(account, query));
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                done.SetException(e);
            }
        });
        return isPosted ? done.Task : Task.FromResult(new AccountStreamsDescription(account));
    }

    private static void Add(string account, StreamStore store, long reserved, ref StoreTotals sum, List<string> problems)
    {
        long bytes = 0;
        long messages = 0;
        int streams = 0;
        int damaged = 0;
        using (StoreBatch batch = store.Begin())
        {
            foreach (StoredStream stream in store.Streams())
            {
                bytes += stream.Bytes;
                messages += stream.Messages;
                streams++;
                if (stream.Damage is { } damage)
                {
                    damaged++;
                    problems.Add($"the stream '{stream.Name}' of the account '{account}' is damaged: file '{damage.File}', offset {damage.Offset}, sequence {damage.Sequence}");
                }

                if (stream.Fault is { } fault)
                {
                    problems.Add($"the stream '{stream.Name}' of the account '{account}' has stopped after an error in the broker, which must be restarted: {fault}");
                }
            }
        }

        if (store.Recovery.HasUnknownDamage)
        {
            problems.Add($"the streams of the account '{account}' are damaged, and it is not known which");
        }

        if (store.Failure is { } failure)
        {
            problems.Add($"the store of the account '{account}' writes no more: {failure.Message}");
        }

        sum = new StoreTotals(sum.Bytes + bytes, sum.Reserved + reserved, sum.Streams + streams, sum.Messages + messages, sum.Damaged + damaged);
    }
}
