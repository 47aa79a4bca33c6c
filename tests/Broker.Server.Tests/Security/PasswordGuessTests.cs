using System.Net;

namespace Broker.Server.Tests.Security;

/// <summary>
/// How many passwords somebody can try: of each address, one login is verified after the other addresses had their
/// turn, 256 wait, and further ones are refused without a verification.
/// </summary>
public sealed class PasswordGuessTests : IDisposable
{
    private static readonly IPEndPoint Guesser = new(IPAddress.Parse("192.0.2.1"), 1);
    private static readonly IPEndPoint Honest = new(IPAddress.Parse("192.0.2.2"), 1);

    private readonly VerificationQueue _queue = new(concurrency: 1);
    private readonly SemaphoreSlim _permits = new(0);
    private readonly List<string> _verified = [];
    private int _started;

    public void Dispose() => _permits.Dispose();

    [Fact]
    public void Of_one_address_256_logins_wait_and_others_are_refused()
    {
        StartOne(Guesser);
        int waiting = Enumerable.Range(0, 1000).Count(i => TryGuess(Guesser, "guess"));

        Assert.Equal(VerificationQueue.MaxPerOrigin, waiting);
        Assert.False(TryGuess(new IPEndPoint(Guesser.Address, 2), "guess"));
        Assert.True(TryGuess(Honest, "honest"));
        Finish(1 + waiting + 1);
    }

    [Fact]
    public void Another_address_waits_for_one_verification_of_the_guesser()
    {
        int guesses = Enumerable.Range(0, 200).Count(i => TryGuess(Guesser, "guess"));
        Wait.Until(() => Volatile.Read(ref _started) == 1, "the first verification");
        Assert.True(TryGuess(Honest, "honest"));
        Finish(guesses + 1);

        // One was being verified, and the turn of the next one had come before.
        Assert.InRange(_verified.IndexOf("honest"), 1, 2);
    }

    [Fact]
    public void Addresses_of_one_IPv6_network_count_as_one()
    {
        StartOne(new IPEndPoint(IPAddress.Parse("2001:db8::1"), 1));
        int waiting = Enumerable.Range(0, 1000).Count(i => TryGuess(new IPEndPoint(IPAddress.Parse($"2001:db8::{i:x}"), 1), "guess"));

        Assert.Equal(VerificationQueue.MaxPerOrigin, waiting);
        Assert.True(TryGuess(new IPEndPoint(IPAddress.Parse("2001:db8:0:1::1"), 1), "honest"));
        Finish(1 + waiting + 1);
    }

    // The login that is being verified does not wait any more. So the number of those that wait is exact.
    private void StartOne(IPEndPoint from)
    {
        Assert.True(TryGuess(from, "guess"));
        Wait.Until(() => Volatile.Read(ref _started) == 1, "the first verification");
    }

    private bool TryGuess(IPEndPoint from, string name) => _queue.TryEnqueue(from, new Attempt(this, name));

    private void Finish(int count)
    {
        _permits.Release(count);
        Wait.Until(() => Verified() == count, "all verifications");
    }

    private int Verified()
    {
        lock (_verified)
        {
            return _verified.Count;
        }
    }

    /// <summary>A verification that takes until the test permits it to end.</summary>
    private sealed class Attempt(PasswordGuessTests test, string name) : Verification
    {
        internal override bool IsAbandoned => false;

        internal override void Run()
        {
            Interlocked.Increment(ref test._started);
            test._permits.Wait();
            lock (test._verified)
            {
                test._verified.Add(name);
            }
        }
    }
}
