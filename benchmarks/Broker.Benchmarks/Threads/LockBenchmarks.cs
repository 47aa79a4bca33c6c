using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Threads;

/// <summary>Compares ways to guard one addition when no other thread wants the lock.</summary>
public class LockBenchmarks
{
    private const int Times = 1000;

    private readonly Lock _lock = new();
    private readonly object _monitor = new();
    private SpinLock _spin = new(enableThreadOwnerTracking: false);
    private int _taken;
    private long _count;

    [GlobalSetup]
    public void Setup()
    {
        foreach (Action variant in new Action[] { LockStatement, LockByHand, MonitorStatement, MonitorByHand, SpinLockByHand, CompareExchange, InterlockedAdd })
        {
            _count = 0;
            variant();
            Agreement.Require(Times, _count, variant.Method.Name);
        }
    }

    /// <summary>The lock statement on System.Threading.Lock, with its try and finally. This project uses it.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Times)]
    public void LockStatement()
    {
        for (int i = 0; i < Times; i++)
        {
            lock (_lock)
            {
                _count++;
            }
        }
    }

    /// <summary>The same lock without try and finally.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public void LockByHand()
    {
        for (int i = 0; i < Times; i++)
        {
            _lock.Enter();
            _count++;
            _lock.Exit();
        }
    }

    /// <summary>The lock statement on an object.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public void MonitorStatement()
    {
        for (int i = 0; i < Times; i++)
        {
            lock (_monitor)
            {
                _count++;
            }
        }
    }

    /// <summary>The same lock without try and finally.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public void MonitorByHand()
    {
        for (int i = 0; i < Times; i++)
        {
            Monitor.Enter(_monitor);
            _count++;
            Monitor.Exit(_monitor);
        }
    }

    [Benchmark(OperationsPerInvoke = Times)]
    public void SpinLockByHand()
    {
        for (int i = 0; i < Times; i++)
        {
            bool taken = false;
            _spin.Enter(ref taken);
            _count++;
            _spin.Exit(useMemoryBarrier: false);
        }
    }

    /// <summary>A flag that is set by compare-and-swap and cleared by a store.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public void CompareExchange()
    {
        for (int i = 0; i < Times; i++)
        {
            while (Interlocked.CompareExchange(ref _taken, 1, 0) != 0)
            {
                Thread.SpinWait(1);
            }

            _count++;
            Volatile.Write(ref _taken, 0);
        }
    }

    /// <summary>No lock.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public void InterlockedAdd()
    {
        for (int i = 0; i < Times; i++)
        {
            Interlocked.Increment(ref _count);
        }
    }
}
