using Broker.Client.Streams.Tests.Support;

[assembly: AssemblyFixture(typeof(SharedServers))]
