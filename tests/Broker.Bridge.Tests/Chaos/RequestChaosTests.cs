using System.Net;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>
/// REQ and REP programs and their server are killed and restarted: no client receives a wrong reply, and all requests
/// are counted.
/// </summary>
public sealed class RequestChaosTests : IDisposable
{
    private static readonly TimeSpan TimeToLive = TimeSpan.FromSeconds(2);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("workers-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_request_is_processed_at_most_once_and_its_result_is_counted(bool foreign)
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        await using var links = new ChaosLinks(random);
        ZeroMqBridge asking = await pipeline.BridgeAsync(
            Server(), RequestSite.Asking with { TimeToLive = TimeToLive, TimeoutReply = "late"u8.ToArray() });
        ZeroMqBridge[] working = [await WorkersAsync(), await WorkersAsync()];
        var clients = new List<PyClient>();
        var workers = new List<PyWorker>();
        int names = 0;
        try
        {
            for (int i = 0; i < 4; i++)
            {
                clients.Add(Client());
                workers.Add(Worker(i));
            }

            for (var time = new ChaosTime(); time.GoesOn;)
            {
                int which = random.Next(clients.Count);
                switch (random.Next(8))
                {
                    case 0:
                        await pipeline.RestartServerAsync();
                        break;
                    case 1:
                        await clients[which].DisposeAsync();
                        clients[which] = Client();
                        break;
                    case 2 or 3:
                        await workers[which].DisposeAsync();
                        workers[which] = Worker(which);
                        break;
                    case 4:
                        await links.StallAsync();
                        break;
                    case 5:
                        links.Cut();
                        break;
                    default:
                        await ChaosTime.PassAsync(random);
                        break;
                }
            }

            PyClient.Outcome[] outcomes = await Wait.For(Task.WhenAll(clients.Select(client => client.StopAsync())));
            await Wait.UntilAsync(
                () => asking.Requests().Pending == 0 && Array.TrueForAll(working, bridge => bridge.Workers().Pending == 0), () => Describe(outcomes));
            AssertAddUp(outcomes);

            // Each worker writes the request to a file first, so that the file contains all requests that it processed
            // before it was killed.
            string[] done = [.. Directory.GetFiles(_folder.FullName).SelectMany(File.ReadLines)];
            Assert.True(done.Length == done.Distinct(StringComparer.Ordinal).Count(), Describe(outcomes));
            Assert.True(done.Length >= outcomes.Sum(outcome => outcome.Done), Describe(outcomes));
        }
        finally
        {
            foreach (PyPeer peer in clients.Concat<PyPeer>(workers))
            {
                await peer.DisposeAsync();
            }
        }

        PyClient Client() => new(asking.Endpoint("request"), $"c{names++}");
        PyWorker Worker(int at) => new(working[at % working.Length].Endpoint("worker"), Path.Combine(_folder.FullName, $"w{names++}"));
        Task<ZeroMqBridge> WorkersAsync() => pipeline.BridgeAsync(Server(), RequestSite.Answering with { TimeToLive = TimeToLive });
        string Server() => $"nats://{links.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority)).Address}";
        string Describe(PyClient.Outcome[] outcomes)
            => $"seed {seed}: {string.Join<PyClient.Outcome>(' ', outcomes)}, {asking.Requests()}, {working[0].Workers()}, {working[1].Workers()}";

        void AssertAddUp(PyClient.Outcome[] outcomes)
        {
            RequestRouteSnapshot asked = asking.Requests();
            Assert.True(outcomes.Sum(outcome => outcome.Wrong) == 0, Describe(outcomes));
            Assert.True(outcomes.All(outcome => outcome.Asked == outcome.Done + outcome.Lost + outcome.Late), Describe(outcomes));
            Assert.True(
                asked.FromZeroMq == asked.Answered + asked.Undeliverable + asked.TimedOut + asked.Unserved + asked.Abandoned + asked.Refused,
                Describe(outcomes));
            foreach (WorkerRouteSnapshot worked in working.Select(bridge => bridge.Workers()))
            {
                Assert.True(
                    worked.FromSubjects == worked.Answered + worked.TimedOut + worked.WorkerLost + worked.NotTaken + worked.Abandoned + worked.Refused,
                    Describe(outcomes));
            }

            Assert.True(outcomes.Sum(outcome => outcome.Lost) <= working.Sum(bridge => bridge.Workers().WorkerLost), Describe(outcomes));
            Assert.True(outcomes.Sum(outcome => outcome.Late) <= asked.TimedOut, Describe(outcomes));
        }
    }
}
